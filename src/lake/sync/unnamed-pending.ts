import { decidedRule } from "../materialize/pending-rows.js";
import { type LakeReader, readTables } from "../query/query-views.js";
import { transactionChanges, transactions } from "../tables/transactions.js";

/** It has pending rows of several updates: no update tells what became of the older ones. */
export interface UnnamedPending {
  readonly link_id: string;
  readonly fp_id: string;
  /** Older than the newest ones. */
  readonly rows: number;
  /** The first hundred, each by {@link listedName}. */
  readonly older: readonly string[];
  readonly newer: readonly string[];
  /** The days of all of them, with one to spare on either side. */
  readonly from: string;
  readonly to: string;
}

/** Names a row as the user's list has it. */
export function listedName(row: object): string {
  const { transaction_id, account_id } = row as {
    readonly transaction_id?: string;
    readonly account_id?: string;
  };
  return `${transaction_id} ${account_id}`;
}

/** The rules `listed` and `replaced` judge older ones differently. */
const WAITING = `select *, run_id <> arg_max(run_id, sequence) over (partition by link_id) as is_older
  from transactions where pending`;

/** Counts older pending rows; none once a rule is decided. */
export async function undecidedPending(lake: LakeReader): Promise<number> {
  if (decidedRule(await lake.table(transactions.name).snapshot()) !== undefined) return 0;
  const [row] = await readTables(lake, [transactions], (sql) =>
    sql.rows(`select count(*) as rows from (${WAITING}) where is_older`),
  );
  return Number(row?.rows);
}

export async function unnamedPending(lake: LakeReader): Promise<UnnamedPending[]> {
  const rows = await readTables(lake, [transactions], (sql) =>
    sql.rows(`
      with waiting as (
        select *, concat_ws(' ', transaction_id, account_id) as listed from (${WAITING})
      )
      select link_id, arg_max(fp_id, sequence) as fp_id, count(*) filter (is_older) as rows,
        (list(listed order by sequence) filter (is_older))[:100] as older,
        (list(listed order by sequence) filter (not is_older))[:100] as newer,
        (min("date") - 1)::varchar as "from", (max("date") + 1)::varchar as "to"
      from waiting group by link_id having count(*) filter (is_older) > 0 order by link_id`),
  );
  return rows.map((row) => ({ ...(row as unknown as UnnamedPending), rows: Number(row.rows) }));
}

/** Whether the service has ever named a pending row under `updated` or `removed`: then it always does. */
export async function namesPendingRows(lake: LakeReader): Promise<boolean> {
  const rows = await readTables(lake, [transactionChanges], (sql) =>
    sql.rowsAtOnce(`
      select 1 from (
        select change_type, inferred, lag(pending ignore nulls) over (partition by link_id, transaction_id order by sequence) as was
        from transaction_changes semi join (
          select link_id, transaction_id from transaction_changes where pending
          intersect select link_id, transaction_id from transaction_changes where change_type <> 'created'
        ) using (link_id, transaction_id))
      where was and change_type <> 'created' and not inferred limit 1`),
  );
  return rows.length > 0;
}

/** Whether a run has brought pending rows; its files of the feed are named after it. */
export async function broughtPendingRows(lake: LakeReader, runId: string): Promise<boolean> {
  const isOfRun = ({ path }: { readonly path: string }) => decodeURIComponent(path).startsWith(runId);
  const rows = await readTables(
    lake,
    [transactionChanges],
    (sql) => sql.rowsAtOnce("select 1 from transaction_changes where pending limit 1"),
    isOfRun,
  );
  return rows.length > 0;
}
