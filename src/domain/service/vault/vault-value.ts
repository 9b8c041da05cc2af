import { isJsonObject } from "../../json/value.js";
import { type BrokenRule, broken } from "../../row-problem.js";
import { hasLoneSurrogate } from "../transaction-values.js";
import { acceptedIdentifiers, type IdentifierUse, identifierProblem } from "./vault-identifier.js";

const BLANK = broken("blank", "is blank");
const SLASH = broken("slash", "has a slash, which no upload takes in an identifier");
const LONE_SURROGATE = broken("lone_surrogate", "has a lone surrogate");

/** Why a value can't be put under an identifier (docs/reference/service.md, "Accepted identifiers"). */
export function vaultValueProblem(
  use: IdentifierUse,
  identifier: string,
  value: unknown,
): BrokenRule | undefined {
  return useProblem(use, identifier) ?? valueProblem(value);
}

/** Why a file can't be uploaded under an identifier (docs/reference/service.md, "Vault upload"). */
export function uploadProblem(identifier: string, path: unknown): BrokenRule | undefined {
  // An upload goes under a client token, which has to name the identifier.
  const problem = useProblem("upload", identifier) ?? useProblem("client_token", identifier);
  if (problem !== undefined) return problem;
  if (/[/\\]/.test(identifier)) return SLASH;
  if (typeof path !== "string") return broken("not_path", "is not the path of a file");
  return path.trim() === "" ? BLANK : undefined;
}

function useProblem(use: IdentifierUse, identifier: string): BrokenRule | undefined {
  const problem = identifierProblem(use, identifier);
  return (
    problem && { ...problem, rule: `is ${problem.rule}; accepted: ${acceptedIdentifiers(use, identifier)}` }
  );
}

function valueProblem(value: unknown): BrokenRule | undefined {
  if (typeof value === "boolean") return undefined;
  if (typeof value === "number") {
    if (Number.isInteger(value)) return jsonProblem(value);
    return broken("not_integer", "is a number that is not an integer: give it as text");
  }
  if (typeof value === "string") return value.trim() === "" ? BLANK : jsonProblem(value);
  if (isJsonObject(value) || Array.isArray(value)) return jsonProblem(value);
  return broken("not_value", "is not text, an integer, true or false, an object or a list");
}

/** Why a JSON value would not arrive as in the file, without quoting it. */
export function jsonProblem(value: unknown): BrokenRule | undefined {
  if (typeof value === "number") {
    const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    if (isExact) return undefined;
    return broken("inexact_number", "is a number too large to arrive exactly: give it as text");
  }
  if (typeof value === "string") return hasLoneSurrogate(value) ? LONE_SURROGATE : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, item] of Object.entries(value)) {
    const problem = hasLoneSurrogate(name) ? LONE_SURROGATE : jsonProblem(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
