import { jsonObjectOf } from "../../domain/json.js";
import { ignoredColumns, type RosterEntry, type RosterProblems } from "./roster-problems.js";

/** Reads a JSONL roster: an object a line; empty lines and other fields are ignored, the fields named. */
export function readJsonlRoster(
  path: string,
  text: string,
  problems: RosterProblems,
  warnings: string[],
): RosterEntry[] {
  const ignored = new Set<string>();
  const entries = text
    .split(/\r\n|\n/)
    .flatMap((line, index) => (line.trim() === "" ? [] : entryOf(line, index + 1, problems, ignored)));
  if (ignored.size > 0) warnings.push(ignoredColumns(path, [...ignored]));
  return entries;
}

function entryOf(text: string, line: number, problems: RosterProblems, ignored: Set<string>): RosterEntry[] {
  const row = jsonObjectOf(text);
  if (row === undefined) {
    problems.add(line, undefined, 'is not a JSON object such as {"fp_id":"…"}');
    return [];
  }
  const { fp_id: fpId, external_id: externalId, ...others } = row;
  for (const name in others) ignored.add(name);
  if (fpId === undefined) problems.add(line, "fp_id", "is missing");
  else if (typeof fpId !== "string") problems.add(line, "fp_id", "is not text");
  const hasExternalId = externalId !== undefined && externalId !== null && externalId !== "";
  if (hasExternalId && typeof externalId !== "string") problems.add(line, "external_id", "is not text");
  if (typeof fpId !== "string") return [];
  return [typeof externalId === "string" && hasExternalId ? { line, fpId, externalId } : { line, fpId }];
}
