/** One user of a job: the service's id and, if given, the customer's own. */
export interface RosterRow {
  readonly fp_id: string;
  readonly external_id?: string;
  /** Only these of the user's bank links; left out, those of the run's options. */
  readonly links?: readonly string[];
}

/** Sorts by `fp_id` in code-unit order, so that a set of users has the same form on every machine. */
export function canonicalRoster(rows: readonly RosterRow[]): RosterRow[] {
  return [...rows].sort((a, b) => (a.fp_id < b.fp_id ? -1 : a.fp_id > b.fp_id ? 1 : 0));
}

/** The canonical text of a roster, sorted by `fp_id`: its sha256 is `roster_sha256`, and part of the job's id. */
export function rosterText(rows: readonly RosterRow[]): string {
  return canonicalRoster(rows)
    .map(({ fp_id, external_id, links }) => `${JSON.stringify({ fp_id, external_id, links })}\n`)
    .join("");
}

/** Reads a canonical text back; it trusts the text, because only {@link rosterText} writes it. */
export function rosterRows(text: string): RosterRow[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RosterRow);
}
