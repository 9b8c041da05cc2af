import { type LinkAccounts, subjectProblem, unknownAccounts } from "../../../domain/sync/link-update.js";
import type { AddFile } from "../../../lake/delta/delta-actions.js";
import { factsOf, holdsLinks } from "../../../lake/delta/delta-stats.js";
import {
  type HistoryFiles,
  historyFiles,
  historyState,
  wholeHistory,
} from "../../../lake/history/history-files.js";
import { isHistory } from "../../../lake/history/history-spec.js";
import type { Lake } from "../../../lake/lake.js";
import { readTables } from "../../../lake/query/query-views.js";
import { parquetRows } from "../../../lake/sql/duckdb-files.js";
import type { SqlRow } from "../../../lake/sql/duckdb-session.js";
import { sqlList, sqlText } from "../../../lake/sql/duckdb-sql.js";
import { quarantine } from "../../../lake/tables/quarantine.js";
import { transactionChanges } from "../../../lake/tables/transactions.js";
import { accountStream } from "../../../streams/accounts.js";

/** The accounts that an answer about a link names. */
interface AskedLink {
  readonly link_id: string;
  readonly named: readonly string[];
}

interface StrangeLinks {
  /** Why the answers about a link are about another one. */
  readonly problems: ReadonlyMap<string, string>;
  /** Accounts of the other links that their list lacks. */
  readonly unknown: number;
}

/**
 * Finds links about which an answer names accounts of another link, by what the lake knows once the lists that were read
 * beside it are committed. Only of suspicious links it reads the whole history, for accounts that are gone, and for those
 * that no list has what else the lake has of them.
 *
 * @param isRead whether the run reads accounts, so that a link's list should have those that are named
 */
export async function strangeLinks(
  lake: Lake,
  asked: readonly AskedLink[],
  isRead: boolean,
): Promise<StrangeLinks> {
  const naming = asked.filter(({ named }) => named.length > 0);
  const { table: spec } = accountStream;
  const problems = new Map<string, string>();
  if (naming.length === 0 || !isHistory(spec)) return { problems, unknown: 0 };
  const state = await historyState(lake, spec);
  if (state.history.version < 0) return { problems, unknown: 0 };
  const known = await linksOf(lake, await historyFiles(lake, state), naming);
  const isSuspicious = (one: AskedLink) => subjectProblem(one, known, true) !== null;
  const suspicious = naming.filter(isSuspicious);
  if (suspicious.length > 0) {
    const listed = await linksOf(lake, await wholeHistory(lake, state), suspicious);
    const ever = withUnlisted(listed, await unlistedAccounts(lake, suspicious));
    for (const one of suspicious) {
      const problem = subjectProblem(one, ever, isRead);
      if (problem !== null) problems.set(one.link_id, problem);
    }
  }
  const others = naming.filter(({ link_id }) => !problems.has(link_id));
  const unknown = isRead ? others.reduce((sum, one) => sum + unknownAccounts(one, known), 0) : 0;
  return { problems, unknown };
}

/** The links of which accounts are known, by account: of those that are asked about, and those that answers name. */
async function linksOf(
  lake: Lake,
  { current, since }: HistoryFiles,
  asked: readonly AskedLink[],
): Promise<LinkAccounts> {
  const columns = accountStream.table.columns.filter(
    ({ name }) => name === "link_id" || name === "account_id",
  );
  const ids = (of: readonly string[]) => `(select unnest(${sqlText(JSON.stringify(of))}::json::varchar[]))`;
  const links = ids(asked.map(({ link_id }) => link_id));
  const accounts = ids(asked.flatMap(({ named }) => named));
  const rows = await lake.duckdb.exclusive((sql) =>
    sql.rows(`select distinct link_id, account_id from ${parquetRows([...current, ...since], columns)}
      where link_id in ${links} or account_id in ${accounts}`),
  );
  return accountsByLink(rows);
}

/** The accounts of links by their committed rows, and by rows of lists that were bad. */
async function unlistedAccounts(lake: Lake, asked: readonly AskedLink[]): Promise<LinkAccounts> {
  const links = sqlList(asked.map(({ link_id }) => link_id));
  const tests = asked.map(({ link_id }) => holdsLinks(link_id, link_id));
  const mayHold = (file: AddFile) => tests.some((holds) => holds(factsOf(file)));
  const committed = await readTables(
    lake,
    [transactionChanges],
    (sql) =>
      sql.rows(
        `select distinct link_id, account_id from ${transactionChanges.name} where link_id in ${links}`,
      ),
    mayHold,
  );
  const bad = await readTables(lake, [quarantine], (sql) =>
    sql.rows(`select distinct link_id, account_id from (
      select row ->> '$.link_id' as link_id, row ->> '$.id' as account_id from (
        select try_cast(payload as json) as row from ${quarantine.name} where stream = ${sqlText(accountStream.name)}
      )) where link_id in ${links}`),
  );
  return accountsByLink([...committed, ...bad]);
}

/** Adds accounts of links that no list has; a list says of which link an account is. */
function withUnlisted(listed: LinkAccounts, unlisted: LinkAccounts): LinkAccounts {
  const isListed = new Set([...listed.values()].flatMap((accounts) => [...accounts]));
  const known = new Map(listed);
  for (const [link, accounts] of unlisted) {
    const others = [...accounts].filter((account) => !isListed.has(account));
    known.set(link, new Set([...(known.get(link) ?? []), ...others]));
  }
  return known;
}

function accountsByLink(rows: readonly SqlRow[]): LinkAccounts {
  const known = new Map<string, Set<string>>();
  for (const { link_id, account_id } of rows) {
    if (account_id === null) continue;
    const link = String(link_id);
    known.set(link, (known.get(link) ?? new Set()).add(String(account_id)));
  }
  return known;
}
