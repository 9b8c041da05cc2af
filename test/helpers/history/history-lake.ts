import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendChanges } from "../../../src/lake/history/append-changes.js";
import type { Observations } from "../../../src/lake/history/comparison.js";
import { bringUpCurrent } from "../../../src/lake/history/current-table.js";
import { currentOf, type HistorySpec } from "../../../src/lake/history/history-spec.js";
import { type Lake, openLake } from "../../../src/lake/lake.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { sqlText } from "../../../src/lake/sql/duckdb-sql.js";
import { queryRows } from "../query/query-rows.js";

export const THINGS: HistorySpec = {
  name: "things",
  current: "things_current",
  mark: "gone",
  lists: "all",
  key: ["fp_id", "thing_id"],
  owner: ["fp_id"],
  columns: [
    { name: "run_id", type: "VARCHAR" },
    { name: "observed_at", type: "TIMESTAMPTZ" },
    { name: "fp_id", type: "VARCHAR" },
    { name: "thing_id", type: "VARCHAR" },
    { name: "state", type: "VARCHAR" },
    { name: "amount", type: "DECIMAL(28,10)" },
    { name: "gone", type: "BOOLEAN" },
  ],
};

/** A table with a row of every run. */
export const EVERY_THING = {
  name: THINGS.name,
  columns: THINGS.columns.filter(({ name }) => name !== "gone"),
};

/** One thing in somebody's list, and how it is. */
export interface Thing {
  readonly owner: string;
  readonly id: string | null;
  readonly state: string | null;
}

/** What one commit observed. */
interface Observed {
  readonly run: string;
  readonly part?: string;
  readonly at: Date;
  readonly things: readonly Thing[];
  /** Owners whose lists were read as a whole; all that are named in `things` where it is left out. */
  readonly whole?: readonly string[];
  /** The last day of windows that begin with the first day; none where it is left out. */
  readonly until?: string;
  readonly removals?: Observations["removals"];
}

/** A lake with the history {@link THINGS}, and a second process that has the same lake open under another name. */
export class HistoryLake {
  private constructor(
    readonly base: string,
    readonly lake: Lake,
    readonly other: Lake,
  ) {}

  static async open(): Promise<HistoryLake> {
    const base = await mkdtemp(join(tmpdir(), "nightledger-history-"));
    const lake = openLake({ directory: join(base, "lake") });
    await lake.store.put("_nightledger/made", "");
    await symlink(join(base, "lake"), join(base, "same"));
    return new HistoryLake(base, lake, openLake({ directory: join(base, "same") }));
  }

  async release(): Promise<void> {
    await Promise.all([this.lake.close(), this.other.close()]);
    await rm(this.base, { recursive: true, force: true });
  }

  async observe({ run, part = "g0", at, things, whole, until, removals }: Observed, lake = this.lake) {
    const owners = whole ?? [...new Set(things.map(({ owner }) => owner))];
    const window = until === undefined ? {} : { window: { from: null, until, begunAt: at } };
    return appendChanges(lake, THINGS, `${run}/${part}`, run, {
      query: observedQuery(run, at, things),
      whole: owners.map((fpId) => ({ fpId, linkId: null, readAt: at, ...window })),
      ...(removals && { removals }),
    });
  }

  /** What run `r<n>` observed in its night: things as {@link history} prints them, of lists that were read as a whole. */
  night(n: number, things: readonly string[], more: Pick<Observed, "whole" | "part"> = {}) {
    return this.observe({ run: `r${n}`, at: night(n), things: things.map(thing), ...more });
  }

  bringUp(lake = this.lake) {
    return bringUpCurrent(lake, THINGS, "test");
  }

  /** Rows of the history by key and time, as `owner/id state`, with a mark where it says that something is gone. */
  async history(): Promise<string[]> {
    return this.#select("things", "order by fp_id, thing_id nulls first, observed_at");
  }

  /** What the view says. */
  async current(): Promise<string[]> {
    return this.#select("things_current", "order by fp_id, thing_id nulls first");
  }

  /** What the small table holds, as any other reader finds it. */
  async small(): Promise<string[]> {
    const rows = await readTables(this.lake, [currentOf(THINGS)], (sql) =>
      sql.rows(`select ${TEXT} as text from things_current order by fp_id, thing_id nulls first`),
    );
    return rows.map(({ text }) => String(text));
  }

  async #select(table: string, order: string): Promise<string[]> {
    const gone = table === "things" ? " || if(gone, ' gone', '')" : "";
    const rows = await this.rows(`select ${TEXT}${gone} as text from ${table} ${order}`);
    return rows.map(({ text }) => String(text));
  }

  async rows(sql: string): Promise<Record<string, unknown>[]> {
    return queryRows(this.lake.store, sql, { tables: [THINGS, currentOf(THINGS)] });
  }
}

export const night = (n: number) => new Date(Date.UTC(2026, 0, n, 2));

/** A thing as {@link HistoryLake.history} prints it. */
export function thing(text: string): Thing {
  const [owner = "", id = "", state = ""] = text.split(/[/ ]/);
  return { owner, id: id === "-" ? null : id, state: state === "-" ? null : state };
}

const TEXT = "fp_id || '/' || coalesce(thing_id, '-') || ' ' || coalesce(state, '-')";

/** SQL of rows as a stream's projection gives them. */
export function observedQuery(run: string, at: Date, things: readonly Thing[]): string {
  const text = (value: string | null) => (value === null ? "null::varchar" : sqlText(value));
  const values = things.map(
    ({ owner, id, state }) =>
      `(${sqlText(run)}, ${sqlText(at.toISOString())}::timestamptz, ${sqlText(owner)}, ${text(id)}, ${text(state)},
        1.5::decimal(28,10), null::boolean)`,
  );
  const names = THINGS.columns.map(({ name }) => name).join(", ");
  const nulls = THINGS.columns.map(({ type }) => `null::${type}`).join(", ");
  return `select * from (values ${values.length > 0 ? values.join(", ") : `(${nulls})`}) as v(${names}) where run_id is not null`;
}
