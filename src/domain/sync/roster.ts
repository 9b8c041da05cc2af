import { hasLoneSurrogate } from "../service/transaction-values.js";

/** One user of a job: the service's id and, where the customer has one, their own. */
export interface RosterRow {
  readonly fp_id: string;
  readonly external_id?: string;
}

/** Sorted by `fp_id` in code-unit order, so that one set of users has one form on every machine. */
export function canonicalRoster(rows: readonly RosterRow[]): RosterRow[] {
  return [...rows].sort((a, b) => (a.fp_id < b.fp_id ? -1 : a.fp_id > b.fp_id ? 1 : 0));
}

/**
 * The canonical text of a roster: one JSON object a line, keys in fixed order, sorted by `fp_id`.
 * Its sha256 is the `roster_sha256` of a run and part of the job's id.
 */
export function rosterText(rows: readonly RosterRow[]): string {
  return canonicalRoster(rows)
    .map((row) => `${rosterLine(row)}\n`)
    .join("");
}

function rosterLine({ fp_id, external_id }: RosterRow): string {
  return JSON.stringify(external_id === undefined ? { fp_id } : { fp_id, external_id });
}

/** Reads rows `[from, to)` of a canonical text back; it trusts the text, because only {@link rosterText} writes it. */
export function rosterRange(text: string, from: number, to: number): RosterRow[] {
  return text
    .split("\n", to)
    .slice(from)
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RosterRow);
}

const CONTROL = /\p{Cc}/u;

/** Why a value can't be a user's `fp_id`, without quoting it; undefined when it can. */
export function fpIdProblem(value: string): string | undefined {
  if (value.trim() === "") return "is blank";
  // It becomes one segment of an address; these would not stay one.
  if (/[/\\]/.test(value)) return "has a slash";
  if (value === "." || value === "..") return "is a relative path";
  return externalIdProblem(value);
}

/** Why a value can't be a customer's id, without quoting it; undefined when it can. */
export function externalIdProblem(value: string): string | undefined {
  if (CONTROL.test(value)) return "has a control character";
  if (hasLoneSurrogate(value)) return "has a lone surrogate";
  return value === value.trim() ? undefined : "has spaces around it";
}
