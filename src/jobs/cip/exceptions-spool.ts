import { EXCEPTION_KINDS, NOT_COVERED } from "../../domain/bulk/cip/exceptions.js";
import { type PackFiles, RowSpool } from "../../lake/bulk/pack/pack-files.js";
import type { DuckDb } from "../../lake/sql/duckdb.js";
import { type JudgedMember, nameOf } from "./member-lines.js";

const CSV_COLUMNS = [
  ...(["fp_id", "external_id", "kind", "rule_part"] as const),
  ...(["element", "detail", "sources", "approval"] as const),
];

/** An exception of a member, as it is listed. */
export type ListedException = { readonly [C in (typeof CSV_COLUMNS)[number]]: string | null } & {
  /** Of the person, as pages show it; null where there is no report. */
  readonly name: string | null;
  /** Index of the member in the population. */
  readonly position: number;
};

/** The exceptions of all members, sorted on the disk: the gravest kind first, then by member. */
export class ExceptionsSpool extends RowSpool<ListedException> {
  constructor(duckdb: DuckDb) {
    const numbers = ["grade", "position", "part_of"];
    const columns = [
      ...numbers.map((name) => ({ name, type: "INTEGER" }) as const),
      ...[...CSV_COLUMNS, "name"].map((name) => ({ name, type: "VARCHAR" }) as const),
    ];
    super(duckdb, { columns, order: numbers });
  }

  async addMember({ member, exceptions, approval, mask }: JudgedMember, position: number): Promise<void> {
    await this.add(
      exceptions.map(({ kind, part, element, detail, sources }, index) => ({
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
      })),
    );
  }

  /** Writes `exceptions.csv`. Its first row says once, for everybody, what no report covers. */
  async writeList(files: PackFiles): Promise<void> {
    const { part, element, detail } = NOT_COVERED;
    const first = { fp_id: "*", kind: "missing", rule_part: part, element, detail };
    await this.writeCsv(files, "exceptions.csv", CSV_COLUMNS, [first]);
  }
}
