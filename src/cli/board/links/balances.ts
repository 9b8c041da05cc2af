import { shellWord } from "../../../domain/words/shell-word.js";
import type { LakeQuery } from "../../../lake/query/query.js";
import { sqlText } from "../../../lake/sql/duckdb-sql.js";
import { lineChart } from "../../../pages/charts.js";
import { code, details, joined, type Markup, paragraph, table } from "../../../pages/parts.js";
import { rowsOf } from "../../lake/query.js";
import { shortAmount } from "../../sync/amount-text.js";
import { instant } from "../shown.js";

const MOST_ACCOUNTS = 10;
const MOST_CHANGES = 200;

/** A change of an account's balances. Amounts are exact text. */
interface BalanceChange {
  readonly observed_at: string;
  readonly current: string | null;
  readonly available: string | null;
  readonly limit: string | null;
  /** Where a chart has it, as shares of the time until now and of the amounts; null without a current balance. */
  readonly x: number;
  readonly y: number | null;
}

/** An account's balances in one currency. */
interface AccountBalances {
  readonly account_id: string;
  readonly fp_id: string;
  readonly currency: string | null;
  readonly changes: number;
  readonly low: string | null;
  readonly high: string | null;
  /** The newest of them, the oldest first. */
  readonly points: readonly BalanceChange[];
}

export interface LinkBalances {
  /** Accounts, counted for each user and currency. */
  readonly accounts: number;
  readonly shown: readonly AccountBalances[];
}

/** Reads how the balances of a link's accounts changed. SQL computes where points are: no amount becomes a number here. */
export async function readBalances(query: LakeQuery, linkId: string): Promise<LinkBalances> {
  const sql = `with own as (
      select account_id, fp_id, balance_currency as currency, observed_at, balance_current as "current",
        balance_available as available, balance_limit as "limit",
        count(*) over same as changes, row_number() over (same order by observed_at desc) as place
      from account_balances where link_id = ${sqlText(linkId)}
      window same as (partition by account_id, fp_id, balance_currency)
    ), drawn as (
      select *, min("current") over same as low, max("current") over same as high,
        (epoch_ms(observed_at) - min(epoch_ms(observed_at)) over same)
          / greatest(epoch_ms(now()) - min(epoch_ms(observed_at)) over same, 1) as x,
      from own where place <= ${MOST_CHANGES} window same as (partition by account_id, fp_id, currency)
    )
    select account_id, fp_id, currency, any_value(changes) as changes, any_value(low) as low, any_value(high) as high,
      list(struct_pack(observed_at, "current", available, "limit", x,
        y := if(high = low, if("current" is null, null, 0.5), ("current" - low)::double / (high - low)::double)) order by observed_at) as points,
      count(*) over () as accounts
    from drawn group by account_id, fp_id, currency order by account_id, fp_id, currency limit ${MOST_ACCOUNTS}`;
  const rows = await rowsOf<AccountBalances & { readonly accounts: number }>(query, sql);
  return { accounts: rows[0]?.accounts ?? 0, shown: rows.map(({ accounts: _, ...account }) => account) };
}

export function balanceCharts({ accounts, shown }: LinkBalances, linkId: string): Markup {
  if (accounts === 0) return paragraph("No balance was observed.", "none");
  const sql = `select * from account_balances where link_id = ${sqlText(linkId)}`;
  const isMore = accounts > shown.length || shown.some(({ changes, points }) => changes > points.length);
  return joined(
    ...shown.map((account, at) => joined(chartOf(account, at), numbersOf(account))),
    isMore
      ? paragraph(
          joined(
            `${shown.length} of ${accounts} accounts, each with its newest ${MOST_CHANGES} changes. All: `,
            code(`nightledger query ${shellWord(sql)}`),
          ),
          "aside",
        )
      : null,
  );
}

function chartOf(account: AccountBalances, at: number): Markup | null {
  const { low, high, points } = account;
  const drawn = points.flatMap(({ x, y, observed_at, current }) =>
    y === null ? [] : [{ x, y, title: `${observed_at.slice(0, 16)}: ${shortAmount(current)}` }],
  );
  if (high === null) return null;
  return {
    html: lineChart({
      ...{
        id: `balance-${at}`,
        title: nameOf(account),
        points: drawn,
        high: shortAmount(high),
        from: points[0]?.observed_at.slice(0, 10) ?? "",
      },
      to: "now",
      ...(low !== null && low !== high && { low: shortAmount(low) }),
    }),
  };
}

function numbersOf(account: AccountBalances): Markup {
  const columns = [
    { name: "Observed" },
    ...["Current", "Available", "Limit"].map((name) => ({ name, isCount: true })),
  ];
  const rows = account.points
    .toReversed()
    .map(({ observed_at, current, available, limit }) => [
      instant(observed_at),
      ...[current, available, limit].map((amount) => (amount === null ? null : shortAmount(amount))),
    ]);
  return details(
    `The numbers: ${account.changes} ${account.changes === 1 ? "change" : "changes"} of ${account.account_id}`,
    table(`Balances of ${nameOf(account)}, the newest first`, columns, rows),
  );
}

function nameOf({ account_id, currency }: AccountBalances): string {
  return `Current balance of ${account_id}${currency === null ? "" : `, ${currency}`}`;
}
