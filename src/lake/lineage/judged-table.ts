import { accountInPart, type LinkRange } from "../materialize/row-parts.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlName } from "../sql/duckdb-sql.js";
import { transactionLinks } from "../tables/transaction-links.js";
import { type JudgedRow, RangeJudge } from "./judged-rows.js";
import { type LineageFiles, rangeEvents } from "./lineage-events.js";

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
  const judge = new RangeJudge();
  const texts: string[] = [];
  let rows: JudgedRow[] = [];
  const take = (some: Iterable<JudgedRow>) => {
    for (const row of some) {
      rows.push(row);
      if (rows.length === ROWS_AT_ONCE) pack();
    }
  };
  // A connection that streams runs nothing else meanwhile, so decisions wait as texts, which are small.
  const pack = () => {
    texts.push(JSON.stringify(rows));
    rows = [];
  };
  for await (const events of rangeEvents(sql, files, range)) take(judge.take(events));
  take(judge.end());
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
