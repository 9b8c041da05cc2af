import { EXCEPTION_KINDS, NOT_COVERED } from "../../domain/bulk/cip/exceptions.js";
import { type PackFiles, RowSpool } from "../../lake/bulk/pack/pack-files.js";
import type { DuckDb } from "../../lake/sql/duckdb.js";
import { type JudgedMember, nameOf } from "./member-lines.js";

const CSV_COLUMNS = [
  "fp_id",
  "external_id",
  "kind",
  "rule_part",
  "element",
  "detail",
  "sources",
  "approval",
] as const;

/** With the person's name; null without a report. */
export type ListedException = { readonly [C in (typeof CSV_COLUMNS)[number] | "name"]: string | null };

/** The gravest kind first, then by member. */
const ORDER = ["grade", "position", "part_of"];

export function exceptionsSpool(duckdb: DuckDb): RowSpool<ListedException> {
  const columns = [
    ...ORDER.map((name) => ({ name, type: "INTEGER" }) as const),
    ...[...CSV_COLUMNS, "name"].map((name) => ({ name, type: "VARCHAR" }) as const),
  ];
  return new RowSpool(duckdb, { columns, order: ORDER });
}

export function listedExceptions(
  { member, exceptions, approval, mask }: JudgedMember,
  position: number,
): readonly object[] {
  return exceptions.map(({ kind, part, element, detail, sources }, index) => ({
    grade: EXCEPTION_KINDS.indexOf(kind),
    position,
    part_of: index,
    fp_id: member.fpId,
    external_id: member.externalId,
    name: nameOf(member, mask),
    kind,
    rule_part: part,
    element,
    detail: mask.text(detail),
    sources: sources?.map((source) => mask.text(source)).join(" ") ?? null,
    approval,
  }));
}

/** Writes `exceptions.csv`; its first row says what no report covers. */
export async function writeExceptions(spool: RowSpool<ListedException>, files: PackFiles): Promise<void> {
  const { part, element, detail } = NOT_COVERED;
  const first = { fp_id: "*", kind: "missing", rule_part: part, element, detail };
  await spool.writeCsv(files, "exceptions.csv", CSV_COLUMNS, [first]);
}
