import { hash } from "node:crypto";
import { InputError } from "../../domain/failures.js";
import { externalIdProblem, fpIdProblem } from "../../domain/service/external-id.js";
import { canonicalRoster, type RosterRow, rosterText } from "../../domain/sync/roster.js";
import { fileError, type InputFile, MalformedFileError } from "../files/input-file.js";
import { countedProblems, MOST_SHOWN, type ToldProblem } from "../files/row-problems.js";
import { type InputRow, readRows } from "../files/rows.js";

const MAX_BYTES = 256 * 1024 * 1024;
const COLUMNS: readonly string[] = ["fp_id", "external_id"];
const FORM = "Give a CSV file with a header (fp_id, optionally external_id) or JSONL with one object a line.";

/** A roster as a job takes it. */
export interface Roster {
  /** Sorted by `fp_id`. */
  readonly rows: readonly RosterRow[];
  /** Canonical text (JSONL), which is staged as the frozen roster. */
  readonly text: string;
  /** Hex sha256 of `text`. */
  readonly sha256: string;
  /** Warnings for the user of what was ignored. */
  readonly warnings: readonly string[];
}

/**
 * Reads a roster file: CSV or JSONL by its extension, else by its content.
 *
 * @throws InputError that names file, line and column, lists the first 20 problems and counts the others
 */
export async function readRoster(path: string): Promise<Roster> {
  const file: InputFile = { path, name: "roster", option: "--roster", mostBytes: MAX_BYTES };
  const judge = new RosterJudge();
  const ignored = new Set<string>();
  let hasHeader = false;
  const checkHeader = (columns: readonly string[], line: number) => {
    hasHeader = true;
    checkColumns(file, columns, line);
    for (const column of columns) if (!COLUMNS.includes(column)) ignored.add(column);
  };
  try {
    for await (const row of readRows(file, checkHeader)) {
      for (const column of row.values.keys()) if (!COLUMNS.includes(column)) ignored.add(column);
      judge.add(row);
    }
  } catch (error) {
    if (!(error instanceof MalformedFileError)) throw error;
    const { line, byte, rule } = error;
    if (byte !== undefined)
      throw fileError(file, `line ${line}, byte ${byte} of the line: ${rule}`, "Save it as UTF-8.");
    judge.refuse(line, null, rule);
  }
  if (judge.problems > 0) {
    throw new InputError(
      `roster ${path}: ${countedProblems(judge.firstProblems, judge.problems)}\nNothing was started. Fix the file and run the command again.`,
    );
  }
  if (judge.rows.length === 0)
    throw fileError(file, hasHeader ? "has a header and no users" : "is empty", FORM);
  return rosterOf(judge.rows, ignored.size > 0 ? [ignoredColumns(path, ignored)] : []);
}

export function rosterOf(rows: readonly RosterRow[], warnings: readonly string[] = []): Roster {
  const text = rosterText(rows);
  return { rows: canonicalRoster(rows), text, sha256: hash("sha256", text), warnings };
}

function checkColumns(file: InputFile, columns: readonly string[], line: number): void {
  if (!columns.includes("fp_id")) {
    // The line may be data, so it isn't quoted.
    const advice = "Give a header line with fp_id and optionally external_id, separated by commas.";
    throw fileError(file, `line ${line}: none of the header's ${columns.length} columns is fp_id`, advice);
  }
  for (const name of COLUMNS) {
    if (columns.indexOf(name) !== columns.lastIndexOf(name))
      throw fileError(file, `line ${line}: column ${name} appears twice`, "Remove one of them.");
  }
}

/** Checks rows against the rules of a roster and collects them. */
class RosterJudge {
  readonly rows: RosterRow[] = [];
  problems = 0;
  /** As many as a message shows: a file may have millions. */
  readonly firstProblems: ToldProblem[] = [];
  readonly #firstLine = new Map<string, number>();

  add({ line, values, problems: malformed }: InputRow): void {
    for (const { column, rule } of malformed) this.refuse(line, column, rule);
    if (malformed.length > 0) return;
    const fpId = values.get("fp_id");
    const externalId = values.get("external_id");
    const hasExternalId = externalId !== undefined && externalId !== null && externalId !== "";
    const rule = this.#problemOf(line, fpId);
    if (rule !== undefined) this.refuse(line, "fp_id", rule);
    if (hasExternalId) {
      const rule = typeof externalId === "string" ? externalIdProblem(externalId)?.rule : "is not text";
      if (rule !== undefined) this.refuse(line, "external_id", rule);
    }
    // A row with a problem is never used: the file is refused.
    this.rows.push({ fp_id: String(fpId), ...(hasExternalId && { external_id: String(externalId) }) });
  }

  refuse(line: number, column: string | null, rule: string): void {
    this.problems += 1;
    if (this.problems <= MOST_SHOWN) this.firstProblems.push({ line, column, rule });
  }

  #problemOf(line: number, fpId: unknown): string | undefined {
    if (typeof fpId !== "string") return fpId === undefined ? "is missing" : "is not text";
    const first = this.#firstLine.get(fpId);
    if (first !== undefined) return `is the same as in line ${first}`;
    const rule = fpIdProblem(fpId)?.rule;
    if (rule === undefined) this.#firstLine.set(fpId, line);
    return rule;
  }
}

function ignoredColumns(path: string, names: ReadonlySet<string>): string {
  const list = [...names].map((name) => JSON.stringify(name)).join(", ");
  return `roster ${path}: ignored ${list}; only fp_id and external_id are read`;
}
