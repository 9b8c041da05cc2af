import type { z } from "zod";
import { InputError } from "../../src/domain/failures.js";
import { problemOf } from "./shape.js";

/** The arguments of a method in their order, by their names; the only one may say that it may be repeated. */
export type Arguments = Readonly<Record<string, z.ZodType>>;

/**
 * The arguments for a call; `null` stands for an optional one that is left out.
 * @throws InputError naming the argument, the place within it and what is expected there.
 */
export function checkedArguments(method: string, shapes: Arguments, given: readonly unknown[]): unknown[] {
  const known = Object.entries(shapes);
  const isRepeated = known[0]?.[1].meta()?.repeated === true;
  const refuse = (what: string) => {
    const names = known.map(([name, shape]) => (shape.isOptional() ? `${name}?` : name));
    if (isRepeated) names.push("…");
    const usage = names.length === 0 ? "no arguments" : `[${names.join(", ")}]`;
    throw new InputError(`${method}: ${what}; nothing was done. ${method} takes ${usage}`);
  };
  const accepted = isRepeated ? given.flatMap(() => known) : known;
  if (given.length > accepted.length) refuse(`${given.length} arguments are too many`);
  const args = given.map((value) => value ?? undefined);
  for (const [index, [name, shape]] of accepted.entries()) {
    const problem = problemOf(shape, args[index], name);
    if (problem) refuse(`argument ${problem}`);
  }
  return args;
}
