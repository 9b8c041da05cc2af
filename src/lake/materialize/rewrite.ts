import { rm } from "node:fs/promises";
import { localFiles } from "../delta/data-files.js";
import type { AddFile } from "../delta/delta-actions.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { factsOf, rowsIn } from "../delta/delta-stats.js";
import { sameIn } from "../history/history-spec.js";
import type { Lake } from "../lake.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { columnNames, sqlName, sqlText, typedColumns } from "../sql/duckdb-sql.js";
import { APPENDED_FILE, type DataFile, scratchPath, storeFiles, writeFiles } from "../tables/parquet-file.js";
import type { SourceChanges } from "../watermark.js";
import { type DerivedTable, newestPlaces, PLACE, placedRows } from "./derived-table.js";
import { fileCount, monthOf, planFiles, takesRows } from "./month-files.js";

/** Rows that leave for another reason than their source's, by a table `n` that is joined to them, as `t`. */
export interface Expiry {
  /** Makes `n`; `since`: SQL of the new rows. */
  readonly prepare: (sql: SqlSession, since: string) => Promise<void>;
  readonly join: string;
  /** SQL of whether a new row, or one that was there, has expired. */
  readonly added: string;
  readonly live: string;
}

const NO_EXPIRY: Expiry = { prepare: async () => undefined, join: "", added: "false", live: "false" };

interface Rewritten {
  /** No commit refers to them yet. */
  readonly files: readonly DataFile[];
  readonly replaced: readonly AddFile[];
}

interface LiveFile {
  readonly add: AddFile;
  readonly path: string;
}

/**
 * Rewrites each file that loses a row, or whose months get new ones. @throws InputError where a file is missing;
 * StoreFullError on a full disk
 */
export async function rewrite(
  lake: Lake,
  derived: DerivedTable,
  prefix: string,
  current: Snapshot,
  { adds, whole }: SourceChanges,
  expiry?: Expiry,
): Promise<Rewritten> {
  const { table, source } = derived;
  const all = [...current.files.values()];
  if (adds.length === 0 && expiry === undefined) return { files: [], replaced: whole ? all : [] };
  const since = placedRows(source, await localFiles({ ...lake, table: source.name }, adds));
  const paths = await localFiles({ ...lake, table: table.name }, whole ? [] : all);
  const live = paths.map((path, at) => ({ add: all[at] as AddFile, path }));
  const target = scratchPath(lake, "derived");
  try {
    const { written, touched } = await lake.duckdb.exclusive(async (sql) => {
      const changes = new Changes(sql, derived, since, expiry);
      await changes.prepare(live.length > 0);
      const touched = derived.day === undefined ? live : await changes.touched(live, derived.day);
      const cut = await changes.cut(touched, rowsIn([...adds, ...touched.map(({ add }) => add)]));
      return {
        touched,
        written: await writeFiles(sql, cut.query, sqlText(target), { ...APPENDED_FILE, cut: cut.options }),
      };
    });
    const files = await storeFiles(lake, table, prefix, written);
    return { files, replaced: whole ? all : touched.map(({ add }) => add) };
  } finally {
    await rm(target, { recursive: true, force: true });
  }
}

/** New rows of the source, over a temp table of each key's newest. */
class Changes {
  constructor(
    private readonly sql: SqlSession,
    private readonly derived: DerivedTable,
    private readonly since: string,
    private readonly expiry = NO_EXPIRY,
  ) {}

  /** Makes `newest`, of keys, and `older`, of places of rows that are not the newest. */
  async prepare(hasLive: boolean): Promise<void> {
    const { sql, since, derived } = this;
    await sql.run(`set partitioned_write_flush_threshold = ${WAITING_ROWS}`);
    // An empty table has no older rows.
    const which = hasLive ? "" : "having count(*) > 1";
    await sql.run(`create or replace temp table newest as ${newestPlaces(derived, since)} ${which}`);
    await sql.run(`create or replace temp table older as select ${PLACE} as place from ${since} t
      join newest on versions > 1 and ${this.#isNewest} where ${PLACE} <> newest.place`);
    await this.expiry.prepare(sql, since);
  }

  get #added(): string {
    const { join, added } = this.expiry;
    return `select ${this.#columns} from (from ${this.since} anti join older on ${PLACE} = place) t ${join}
      where not coalesce((${this.derived.gone}) or ${added}, false)`;
  }

  #kept(files: readonly LiveFile[]): string {
    return `select ${this.#columns} from ${this.#rows(files)} t ${this.expiry.join}
      anti join newest on ${this.#isNewest} where not coalesce(${this.expiry.live}, false)`;
  }

  get #columns(): string {
    return typedColumns(this.derived.table.columns, (name) => `t.${sqlName(name)}`);
  }

  get #isNewest(): string {
    return sameIn(this.derived.key, "t", "newest");
  }

  #rows(files: readonly LiveFile[]): string {
    return placedRows(
      this.derived.table,
      files.map(({ path }) => path),
    );
  }

  /** Files that lose a row, or that new rows join. */
  async touched(live: readonly LiveFile[], day: string): Promise<LiveFile[]> {
    if (live.length === 0) return [];
    const { join, live: expired } = this.expiry;
    const losing = await this.sql.rows(`
      select distinct file_index from ${this.#rows(live)} t semi join newest on ${this.#isNewest}
      union select file_index from ${this.#rows(live)} t ${join} where ${expired}`);
    const lost = new Set(losing.map(({ file_index }) => Number(file_index)));
    const months = [...(await this.#months(this.#added, day)).keys()];
    const joins = ({ add }: LiveFile) => months.length > 0 && takesRows(factsOf(add), add.size, months);
    return live.filter((file, at) => lost.has(at) || joins(file));
  }

  async #months(rows: string, day: string): Promise<Map<number, number>> {
    const counts = await this.sql.rows(
      `select ${monthOf(sqlName(day))} as month, count(*) as rows from (${rows}) group by all`,
    );
    return new Map(counts.map(({ month, rows }) => [Number(month), Number(rows)]));
  }

  /** SQL of the new files' rows, and how they are cut into at most `most` files. */
  async cut(files: readonly LiveFile[], most: number): Promise<{ query: string; options: string }> {
    const {
      day,
      key: [owner = ""],
      table,
    } = this.derived;
    const rows = `${this.#kept(files)} union all ${this.#added}`;
    const part = `hash(${sqlName(owner)})`;
    const columns = columnNames(table.columns);
    if (day === undefined) {
      const parts = fileCount(most);
      if (parts === 1) return { query: rows, options: "" };
      return { query: `select ${columns}, ${part} % ${parts} as file from (${rows})`, options: CUT };
    }
    const kept = files.length === 0 ? "" : `union all select ${sqlName(day)} from ${this.#rows(files)}`;
    const months = planFiles(await this.#months(`select ${sqlName(day)} from (${this.#added}) ${kept}`, day));
    if (months.every(({ file, parts }) => file === 0 && parts === 1)) return { query: rows, options: "" };
    const values = months.map(({ month, file, parts }) => `(${month}, ${file}, ${parts})`).join(", ");
    return {
      query: `select ${columns}, m.file + ${part} % m.parts as file from (${rows}) t
        join (values ${values}) m(month, file, parts) on m.month = ${monthOf(`t.${sqlName(day)}`)}`,
      options: CUT,
    };
  }
}

const CUT = ", partition_by (file), write_partition_columns false";

/** Rows of a thread in memory before they go to their file. */
const WAITING_ROWS = 100_000;
