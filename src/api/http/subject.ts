import type { SubjectMismatch } from "../../domain/failures.js";
import { HIDDEN, maskedId } from "../../domain/service/masked-id.js";
import type { CheckedRequest, Operation } from "../operations/operation.js";
import { AnotherSubjectError, factsOf } from "./errors.js";

/** What a request asked for, as far as an answer must name it. */
type Asked = Partial<Pick<CheckedRequest, "path" | "query" | "headers" | "body">>;

/**
 * Compares what a parsed answer says that it is about with what was asked for; costs nothing for an operation whose
 * answers name no subject. A field that the answer leaves out, and one that the request left open, says nothing.
 *
 * @throws AnotherSubjectError
 */
export function mustBeAbout(
  operation: Pick<Operation, "name" | "names" | "idempotent" | "changes">,
  asked: Asked,
  body: unknown,
  status?: number,
): void {
  for (const { field, parameter } of operation.names ?? []) {
    const wanted = valuesAt(asked, parameter.split(".")).flat();
    if (wanted.length === 0) continue;
    const other = valuesAt(body, field.split(".")).find(
      (value) => typeof value === "string" && !wanted.includes(value),
    );
    if (typeof other !== "string") continue;
    const [only] = wanted;
    const mismatch: SubjectMismatch = {
      // A key may be anything.
      ...(field === "*" ? { field: "a key", answered: HIDDEN } : { field, answered: maskedId(other) }),
      asked: wanted.length === 1 ? maskedId(String(only)) : `one of ${wanted.length}`,
    };
    throw new AnotherSubjectError(factsOf(operation, status), mismatch);
  }
}

/** The values at a path: `links[].fp_id` gives one of each row, `*` the keys of an object. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (step === undefined) return [value];
  if (typeof value !== "object") return [];
  if (step === "*") return Object.keys(value);
  const [, list] = /^(.*)\[\]$/.exec(step) ?? [];
  const inner = (value as Readonly<Record<string, unknown>>)[list ?? step];
  if (list === undefined) return valuesAt(inner, rest);
  return Array.isArray(inner) ? inner.flatMap((row) => valuesAt(row, rest)) : [];
}
