import { InputError } from "../../../domain/failures.js";
import type { LakeQuery } from "../../../lake/query/query.js";
import { sqlText } from "../../../lake/sql/duckdb-sql.js";
import { rowsOf } from "../../lake/query.js";
import type { Finding } from "../../shell/seen-run.js";
import type { Shown } from "../shown.js";
import type { Turn } from "./link-grid.js";
import { syncAction } from "./sync-action.js";

const MOST_RUNS = 50;
const MOST_BAD_ROWS = 20;
const MOST_REASONS = 20;

/** A link under one of its users, as that user's list had it last. */
interface ListedLink {
  readonly fp_id: string;
  readonly institution_name: string | null;
  readonly state: string | null;
  readonly error_code: string | null;
  readonly observed_at: string;
  readonly gone: boolean;
}

/** A row of `link_syncs`. */
interface LinkRun {
  readonly run_id: string;
  readonly fp_id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly pages: number | null;
  readonly created: number | null;
  readonly updated: number | null;
  readonly removed: number | null;
  readonly quarantined: number | null;
  readonly certificate: string | null;
  readonly finished_at: string;
}

interface BadRow {
  readonly row_id: string;
  readonly stream: string;
  readonly list: string;
  readonly transaction_id: string | null;
  readonly reason: string;
  readonly run_id: string;
  readonly fetched_at: string;
}

export interface LinkFacts {
  readonly link_id: string;
  readonly listed: readonly ListedLink[];
  /** As `link_freshness` has it; null for a link that was deleted, is no longer listed, or that no run found. */
  readonly freshness: {
    readonly committed_at: string | null;
    readonly age_s: number;
    readonly nights: number;
    readonly turn: Turn | null;
  } | null;
  /** The newest first. */
  readonly runs: Shown<LinkRun>;
  /** What kept runs from committing, the most frequent first; `examples` are the newest runs. */
  readonly findings: readonly Finding[];
  readonly bad_rows: Shown<BadRow>;
}

/** Reads what the lake knows of a link. @throws InputError where it knows nothing */
export async function readLink(query: LakeQuery, linkId: string): Promise<LinkFacts> {
  const its = `link_id = ${sqlText(linkId)}`;
  const listed = await rowsOf<ListedLink>(
    query,
    `select fp_id, institution_name, state, error_code, observed_at, gone is true as gone from bank_links where ${its}
      qualify row_number() over (partition by fp_id order by observed_at desc) = 1 order by gone, fp_id`,
  );
  const runs = await shown<LinkRun>(
    query,
    `select run_id, fp_id, status, reason, pages, created, updated, removed, quarantined, certificate, finished_at
      from link_syncs where ${its}`,
    `finished_at desc, run_id desc, fp_id limit ${MOST_RUNS}`,
  );
  if (listed.length + runs.total === 0)
    throw new InputError(`link ${linkId} is not in this lake. The page Links shows those that runs found.`);
  const [freshness = null] = await rowsOf<NonNullable<LinkFacts["freshness"]>>(
    query,
    `select committed_at, age_s, nights, turn from link_freshness where ${its}`,
  );
  const found = await rowsOf<Omit<Finding, "action">>(
    query,
    `select status, coalesce(reason, '') as reason, count(*) as count, list(run_id order by finished_at desc)[1:3] as examples
      from link_syncs where ${its} and status not in ('synced', 'unchanged', 'superseded')
      group by all order by count desc, status, reason limit ${MOST_REASONS}`,
  );
  const bad_rows = await shown<BadRow>(
    query,
    `select row_id, stream, list, transaction_id, reason, run_id, fetched_at from quarantine_states
      where closed_by is null and ${its}`,
    `fetched_at desc, row_id limit ${MOST_BAD_ROWS}`,
  );
  const findings = found.map((one) => ({ ...one, action: syncAction(one.status, one.reason) }));
  return { link_id: linkId, listed, freshness, runs, findings, bad_rows };
}

async function shown<Row>(query: LakeQuery, sql: string, order: string): Promise<Shown<Row>> {
  const rows = await rowsOf<Row & { readonly total: number }>(
    query,
    `select *, count(*) over () as total from (${sql}) order by ${order}`,
  );
  return { total: rows[0]?.total ?? 0, rows: rows.map(({ total: _, ...row }) => row as unknown as Row) };
}
