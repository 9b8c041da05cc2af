import { InputError } from "../../src/domain/failures.js";
import type { Shape } from "./shape.js";

/** The arguments of a method in their order, by their names. */
export type Arguments = Readonly<Record<string, Shape>>;

/**
 * The arguments for a call; `null` stands for an optional one that is left out.
 * @throws InputError naming the argument, the place within it and what is accepted there.
 */
export function checkedArguments(method: string, shapes: Arguments, given: readonly unknown[]): unknown[] {
  const accepted = Object.entries(shapes);
  const last = accepted.at(-1);
  const repeated = last?.[1].presence === "rest" ? last : undefined;
  const refuse = (what: string) => {
    throw new InputError(`${method}: ${what}; nothing was done. ${usage(method, accepted)}`);
  };
  if (!repeated && given.length > accepted.length) refuse(`${given.length} arguments are too many`);
  for (const [name, { presence, words }] of accepted.slice(given.length)) {
    if (presence === "required") refuse(`argument "${name}" is missing, which must be ${words}`);
  }
  return given.map((value, index) => {
    const [name, shape] = accepted[index] ?? repeated!;
    if (value === null && shape.presence === "optional") return undefined;
    const wrong = shape.mismatch(value, name);
    if (wrong) refuse(`argument "${wrong.where}" must be ${wrong.words}`);
    return value;
  });
}

function usage(method: string, accepted: readonly (readonly [string, Shape])[]): string {
  if (accepted.length === 0) return `${method} takes no arguments`;
  const names = accepted.map(([name, { presence }]) => {
    if (presence === "rest") return `${name}, …`;
    return presence === "optional" ? `${name}?` : name;
  });
  return `${method} takes [${names.join(", ")}]`;
}
