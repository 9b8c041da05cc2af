import { hash } from "node:crypto";
import { userRow } from "../../api/file-fields.js";
import { InputError } from "../../domain/failures.js";
import { type RowProblem, uniqueIn } from "../../domain/row-problem.js";
import { canonicalRoster, type RosterRow, rosterText } from "../../domain/sync/job.js";
import { countedProblems, judgedFile, MOST_SHOWN, type ToldProblem } from "../files/judged-file.js";
import { MalformedFileError } from "../files/text.js";

/** Read into memory. */
const RULES = {
  file: { name: "roster", option: "--roster", mostBytes: 256 * 1024 * 1024 },
  row: userRow,
  unique: uniqueIn("fp_id"),
};

export interface Roster {
  /** Sorted by `fp_id`. */
  readonly rows: readonly RosterRow[];
  /** Hex, of `rosterText`. */
  readonly sha256: string;
  readonly warnings: readonly string[];
}

/** @throws InputError that lists the first 20 problems by line and column, and counts the others */
export async function readRoster(path: string): Promise<Roster> {
  const file = judgedFile(RULES, path);
  const rows: RosterRow[] = [];
  // A file may have millions.
  const problems: ToldProblem[] = [];
  let count = 0;
  const refuse = (found: readonly ToldProblem[]) => {
    count += found.length;
    problems.push(...found.slice(0, MOST_SHOWN - problems.length));
  };
  try {
    for await (const { row, problems: found } of file.rows()) {
      refuse(found);
      if (row !== null) rows.push(row as RosterRow);
    }
  } catch (error) {
    if (!(error instanceof MalformedFileError)) throw error;
    const { line, rule } = error;
    refuse([{ line, column: null, rule }]);
  }
  if (count === 0) return rosterOf(rows, file.warnings());
  throw new InputError(
    `roster ${path}: ${countedProblems(problems, count)}\nNothing was started. Fix the file and run the command again.`,
  );
}

/** For `--validate-only`. A sync reads every link each time, so no row is done. */
export async function judgeRoster(path: string) {
  const file = judgedFile(RULES, path);
  const rows = { total: 0, invalid: 0, done: 0 };
  const problems: RowProblem[] = [];
  for await (const { row, problems: found } of file.rows()) {
    rows.total += 1;
    if (row === null) rows.invalid += 1;
    problems.push(...found);
  }
  return { rows, problems, warnings: file.warnings() };
}

export function rosterOf(rows: readonly RosterRow[], warnings: readonly string[] = []): Roster {
  return { rows: canonicalRoster(rows), sha256: hash("sha256", rosterText(rows)), warnings };
}

export interface FailedPart {
  /** All their links are read again. */
  readonly users: readonly string[];
  readonly links: readonly { readonly fp_id: string; readonly link_id: string }[];
}

/** Of what failed in a sync: whole users, and single links of others. */
export function retryRoster({ users, links }: FailedPart): Roster {
  const rows = new Map<string, { fp_id: string; links?: string[] }>();
  for (const fp_id of users) rows.set(fp_id, { fp_id });
  for (const { fp_id, link_id } of links) {
    const known = rows.get(fp_id);
    if (known === undefined) rows.set(fp_id, { fp_id, links: [link_id] });
    else known.links?.push(link_id);
  }
  for (const { links: single } of rows.values()) single?.sort();
  return rosterOf([...rows.values()]);
}
