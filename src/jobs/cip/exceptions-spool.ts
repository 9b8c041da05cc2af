import { type CipException, EXCEPTION_KINDS, NOT_COVERED } from "../../domain/bulk/cip/exceptions.js";
import type { PackFiles } from "../../lake/bulk/pack/pack-files.js";
import { RowSpool } from "../../lake/bulk/pack/row-spool.js";
import { csvLine } from "../../lake/csv-line.js";
import type { DuckDb } from "../../lake/sql/duckdb.js";
import type { JudgedMember } from "./member-lines.js";

const COLUMNS = [
  { name: "grade", type: "INTEGER" },
  { name: "position", type: "BIGINT" },
  { name: "part_of", type: "INTEGER" },
  { name: "fp_id", type: "VARCHAR" },
  { name: "external_id", type: "VARCHAR" },
  { name: "kind", type: "VARCHAR" },
  { name: "rule_part", type: "VARCHAR" },
  { name: "element", type: "VARCHAR" },
  { name: "detail", type: "VARCHAR" },
  { name: "sources", type: "VARCHAR" },
  { name: "approval", type: "VARCHAR" },
] as const;
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

/** An exception of a member, as it is listed. */
export type ListedException = { readonly [C in (typeof CSV_COLUMNS)[number]]: string | null } & {
  /** Place of the member in the population, from 0. */
  readonly position: number;
};

/** The exceptions of all members, sorted on the disk: the gravest kind first, then by member. */
export class ExceptionsSpool {
  readonly #spool: RowSpool;

  constructor(duckdb: DuckDb) {
    this.#spool = new RowSpool(duckdb, { columns: COLUMNS, order: ["grade", "position", "part_of"] });
  }

  async add({ member, exceptions, approval, mask }: JudgedMember, position: number): Promise<void> {
    await this.#spool.add(
      exceptions.map((one: CipException, index) => ({
        grade: EXCEPTION_KINDS.indexOf(one.kind),
        position,
        part_of: index,
        fp_id: member.fpId,
        external_id: member.externalId,
        kind: one.kind,
        rule_part: one.part,
        element: one.element,
        detail: mask.text(one.detail),
        sources: one.sources?.map((source) => mask.text(source)).join(" ") ?? null,
        approval,
      })),
    );
  }

  /** Writes `exceptions.csv`. Its first row is what no report covers: it holds for everybody, so it is not repeated. */
  async writeCsv(files: PackFiles): Promise<void> {
    await files.write("exceptions.csv", async (out) => {
      await out(csvLine([...CSV_COLUMNS]));
      const { part, element, detail } = NOT_COVERED;
      await out(csvLine(["*", null, "missing", part, element, detail, null, null]));
      let rows = 1;
      await this.read(async (batch) => {
        rows += batch.length;
        await out(batch.map((row) => csvLine(CSV_COLUMNS.map((name) => row[name]))).join(""));
      });
      return rows;
    });
  }

  /** Gives them in batches. */
  async read(each: (rows: readonly ListedException[]) => Promise<void>): Promise<void> {
    await this.#spool.read((rows) =>
      each(rows.map((row) => ({ ...(row as unknown as ListedException), position: Number(row.position) }))),
    );
  }

  async release(): Promise<void> {
    await this.#spool.release();
  }
}
