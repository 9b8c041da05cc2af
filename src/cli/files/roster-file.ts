import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { externalIdProblem, fpIdProblem } from "../../domain/service/external-id.js";
import { canonicalRoster, type RosterRow, rosterText } from "../../domain/sync/roster.js";
import { readCsvRoster } from "./roster-csv.js";
import { readJsonlRoster } from "./roster-jsonl.js";
import { type RosterEntry, RosterProblems, rosterError } from "./roster-problems.js";

const MAX_BYTES = 256 * 1024 * 1024;
const FORM = "Give a CSV file with a header (fp_id, optionally external_id) or JSONL with one object a line.";

/** A roster as a job takes it. */
export interface Roster {
  /** Sorted by `fp_id`. */
  readonly rows: readonly RosterRow[];
  /** Canonical text (JSONL): what is staged as the frozen roster. */
  readonly text: string;
  /** Hex sha256 of `text`. */
  readonly sha256: string;
  /** What was ignored, in words for the user. */
  readonly warnings: readonly string[];
}

/**
 * Reads a roster file: CSV or JSONL by its extension, else by its content.
 *
 * @throws InputError naming file, line and column; it lists the first 20 problems and counts the others.
 */
export async function readRoster(path: string): Promise<Roster> {
  const text = decode(path, await readBytes(path));
  if (text.trim() === "") throw rosterError(path, "is empty", FORM);
  const problems = new RosterProblems(path);
  const warnings: string[] = [];
  const read = isJsonl(path, text) ? readJsonlRoster : readCsvRoster;
  const entries = read(path, text, problems, warnings);
  const rows = judge(entries, problems);
  problems.throwIfAny();
  if (rows.length === 0) throw rosterError(path, "names no user, it has a header only", FORM);
  const canonical = canonicalRoster(rows);
  const canonicalText = rosterText(canonical);
  return {
    rows: canonical,
    text: canonicalText,
    sha256: createHash("sha256").update(canonicalText).digest("hex"),
    warnings,
  };
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw rosterError(path, `is larger than ${MAX_BYTES} bytes`, "Split it.");
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw rosterError(path, "is not there", "Check the path given to --roster.");
    if (code === "EISDIR") throw rosterError(path, "is a directory", "Give a file to --roster.");
    if (code === undefined) throw error;
    throw rosterError(path, `can't be read (${code})`, "Check its permissions.");
  }
}

function decode(path: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw rosterError(path, "is UTF-16", "Save it as UTF-8.");
  }
  const { line, byte } = firstBadByte(bytes);
  throw rosterError(path, `line ${line}, byte ${byte} of the line: not UTF-8`, "Save it as UTF-8.");
}

function firstBadByte(bytes: Buffer): { line: number; byte: number } {
  let line = 1;
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(0x0a, start);
    const slice = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (!isUtf8(slice)) return { line, byte: goodBytes(slice) + 1 };
    if (end < 0) return { line, byte: 1 };
    start = end + 1;
    line += 1;
  }
}

// Counts the bytes before the one that can't follow.
function goodBytes(slice: Buffer): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let at = 0; at < slice.length; at += 1) {
    try {
      decoder.decode(slice.subarray(at, at + 1), { stream: true });
    } catch {
      return at;
    }
  }
  return slice.length;
}

function isJsonl(path: string, text: string): boolean {
  const extension = extname(path).toLowerCase();
  if (extension === ".jsonl" || extension === ".ndjson") return true;
  return extension !== ".csv" && text.trimStart().startsWith("{");
}

function judge(entries: readonly RosterEntry[], problems: RosterProblems): RosterRow[] {
  const firstLine = new Map<string, number>();
  const rows: RosterRow[] = [];
  for (const { line, fpId, externalId } of entries) {
    const fpProblem = fpIdProblem(fpId);
    const externalProblem = externalId === undefined ? undefined : externalIdProblem(externalId);
    const first = firstLine.get(fpId);
    if (fpProblem !== undefined) problems.add(line, "fp_id", fpProblem);
    else if (first !== undefined) problems.add(line, "fp_id", `is the same as in line ${first}`);
    else firstLine.set(fpId, line);
    if (externalProblem !== undefined) problems.add(line, "external_id", externalProblem);
    rows.push(externalId === undefined ? { fp_id: fpId } : { fp_id: fpId, external_id: externalId });
  }
  return rows;
}
