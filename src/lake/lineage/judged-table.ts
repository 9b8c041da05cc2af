import type { Departure, TransactionState } from "../../domain/lineage/departure.js";
import { type LineageChange, LinkLineage } from "../../domain/lineage/link-lineage.js";
import { accountInPart, type LinkRange } from "../materialize/row-parts.js";
import type { SqlRow, SqlSession } from "../sql/duckdb-session.js";
import { sqlName } from "../sql/duckdb-sql.js";
import { numberOf, textOf } from "../sql/duckdb-values.js";
import { transactionLinks } from "../tables/transactions.js";
import { type LineageFiles, rangeEvents } from "./lineage-events.js";

/** Decides over events in the order of `rangeEvents`, link by link, and gives the rows that are new or have changed. */
async function* judgedRows(events: AsyncIterable<readonly SqlRow[]>): AsyncGenerator<JudgedRow[]> {
  let judge: LinkJudge | undefined;
  for await (const batch of events) {
    for (const event of batch) {
      const link = String(event.link_id);
      if (judge?.link !== link) {
        if (judge !== undefined) yield judge.rows();
        judge = new LinkJudge(link);
      }
      judge.take(event);
    }
  }
  if (judge !== undefined) yield judge.rows();
}

/** One link's events, gathered into updates: a run commits a link at most once. */
class LinkJudge {
  readonly #lineage = new LinkLineage();
  readonly #files = new Map<Departure, number>();
  #run: unknown;
  #update: LineageChange[] = [];

  constructor(readonly link: string) {}

  take(event: SqlRow): void {
    const id = String(event.transaction_id);
    if (event.rank === 0) this.#takeOpen(id, event);
    else if (event.rank === 1 && event.pending === true) this.#lineage.addDeparted(id);
    else if (event.rank === 1) this.#lineage.addPaired(id, textOf(event.account_id));
    else if (event.rank === 2) this.#lineage.addLive(id, stateOf(event));
    else {
      if (this.#run !== event.run_id) this.#apply();
      this.#run = event.run_id;
      const [sequence, generation] = [Number(event.sequence), Number(event.generation)];
      const state = event.removed === true ? null : stateOf(event);
      this.#update.push({ id, sequence, generation, state });
    }
  }

  rows(): JudgedRow[] {
    this.#apply();
    return [...this.#lineage.changed].map((one) => rowOf(this.link, one, this.#files.get(one)));
  }

  #apply(): void {
    if (this.#update.length > 0) this.#lineage.apply(this.#update);
    this.#update = [];
  }

  #takeOpen(id: string, event: SqlRow): void {
    const candidate_tier = event.candidate_tier as Departure["candidate_tier"] | null;
    const state = stateOf(event);
    const departure: Departure = {
      ...{ id, state, sequence: Number(event.sequence), day: Number(state.day) },
      tier: event.tier as Departure["tier"],
      ...(candidate_tier && { candidate_tier }),
      posted_candidates: Number(event.posted_candidates),
      pending_candidates: Number(event.pending_candidates),
      candidate_ids: JSON.parse(String(event.candidate_ids ?? "[]")) as string[],
    };
    this.#lineage.addOpen(departure);
    this.#files.set(departure, Number(event.file));
  }
}

/** What was decided of a departure. It names changes by their sequences, under which the events have all else. */
type JudgedRow = ReturnType<typeof rowOf>;

/** @param file the number of the live file that has its row; undefined for a new one */
function rowOf(link: string, departure: Departure, file: number | undefined) {
  const { sequence, state, posted, candidate_tier, candidate_ids } = departure;
  return {
    link_id: link,
    removed_sequence: sequence,
    /** The change that gave its last state; null for a departure of the table, whose row has that. */
    state_sequence: file === undefined ? (state.sequence ?? null) : null,
    posted_sequence: posted?.sequence ?? null,
    tier: departure.tier,
    candidate_tier: candidate_tier ?? null,
    posted_candidates: departure.posted_candidates,
    pending_candidates: departure.pending_candidates,
    candidate_ids: candidate_ids.length === 0 ? null : JSON.stringify(candidate_ids),
    file: file ?? null,
  };
}

function stateOf(row: SqlRow): TransactionState {
  return {
    sequence: Number(row.sequence),
    account_id: textOf(row.account_id),
    currency: textOf(row.currency),
    type: textOf(row.type),
    signed_amount: textOf(row.signed_amount),
    day: numberOf(row.day),
    pending: typeof row.pending === "boolean" ? row.pending : null,
    merchant_id: textOf(row.merchant_id),
    description: textOf(row.description),
  };
}

const TYPES: Readonly<Record<keyof JudgedRow, string>> = {
  link_id: "VARCHAR",
  removed_sequence: "BIGINT",
  state_sequence: "BIGINT",
  posted_sequence: "BIGINT",
  tier: "VARCHAR",
  candidate_tier: "VARCHAR",
  posted_candidates: "BIGINT",
  pending_candidates: "BIGINT",
  candidate_ids: "VARCHAR",
  file: "BIGINT",
};

/** Decisions that one statement takes. */
const ROWS_AT_ONCE = 2_000;

/** Judges a range, and makes the tables `event` and `judged` of it. */
export async function judgeInto(sql: SqlSession, files: LineageFiles, range: LinkRange): Promise<void> {
  const texts: string[] = [];
  let rows: JudgedRow[] = [];
  // A connection that streams runs nothing else meanwhile, so decisions wait as texts, which are small.
  const pack = () => {
    texts.push(JSON.stringify(rows));
    rows = [];
  };
  for await (const some of judgedRows(rangeEvents(sql, files, range))) {
    for (const row of some) {
      rows.push(row);
      if (rows.length === ROWS_AT_ONCE) pack();
    }
  }
  pack();
  const columns = Object.entries(TYPES).map(([name, type]) => `${name} ${type}`);
  await sql.run(`create or replace temp table judged (${columns.join(", ")})`);
  for (const text of texts) {
    await sql.run(
      `insert into judged select unnest(from_json($1, '${JSON.stringify([TYPES])}'), recursive := true)`,
      [text],
    );
  }
}

/** Columns that are not simply those of the pending row's last state. */
const VALUES: Readonly<Record<string, string>> = {
  link_id: "judged.link_id",
  fp_id: "removal.fp_id",
  pending_transaction_id: "removal.transaction_id",
  posted_transaction_id: "posted.transaction_id",
  pending_signed_amount: "coalesce(state.signed_amount, removal.signed_amount)",
  posted_signed_amount: "posted.signed_amount",
  pending_date: "coalesce(state.date, removal.date)",
  posted_date: "posted.date",
  removed_run_id: "removal.run_id",
  removal_inferred: "removal.inferred",
  posted_run_id: "posted.run_id",
};

/** SQL of the rows of `transaction_links` that were judged, of the accounts of the range's part. */
export function judgedRowsSql(range: LinkRange, order: readonly string[]): string {
  const values = transactionLinks.columns.map(({ name, type }) => {
    const value =
      VALUES[name] ?? (name in TYPES ? `judged.${name}` : `coalesce(state.${name}, removal.${name})`);
    return `(${value})::${type} as ${sqlName(name)}`;
  });
  const joined = `select ${values.join(", ")} from judged
    join event removal on removal.link_id = judged.link_id and removal.sequence = judged.removed_sequence
      and removal.rank in (0, 3)
    left join event state on state.link_id = judged.link_id and state.sequence = judged.state_sequence
      and state.rank in (2, 3)
    left join event posted on posted.link_id = judged.link_id and posted.sequence = judged.posted_sequence
      and posted.rank = 3`;
  return `select * from (${joined}) where ${accountInPart(range)} order by ${order.join(", ")}`;
}
