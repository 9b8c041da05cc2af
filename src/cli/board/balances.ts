import { counted } from "../../domain/words/counted.js";
import { shellWord } from "../../domain/words/texts.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import { lineChart } from "../../pages/charts.js";
import { code, details, figure, joined, type Markup, paragraph } from "../../pages/parts.js";
import type { SqlRow } from "../lake/query.js";
import { shortAmount } from "../sync/amount-text.js";
import { listing } from "./shown.js";

const MOST_ACCOUNTS = 10;
const MOST_CHANGES = 200;

/**
 * A change of an account's balances; amounts are exact text. `x` and `y` are where a chart has it, as shares of the time
 * until now and of the amounts; `y` is null without a current balance.
 */
type BalanceChange = SqlRow<"observed_at", "x", "current" | "available" | "limit"> & {
  readonly y: number | null;
};

/** An account's balances in one currency: the newest of its changes, the oldest first. */
export type AccountBalances = SqlRow<"account_id" | "fp_id", "changes", "currency" | "low" | "high"> & {
  readonly points: readonly BalanceChange[];
};

/** `accounts` counts also those that are not shown. */
type LinkBalances = { readonly accounts: number; readonly shown: readonly AccountBalances[] };

/** SQL of how the balances of a link's accounts changed, and where its points are: no amount becomes a number here. */
export function balancesOf(linkId: string): string {
  return `with own as (
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
      count(*) over () as total
    from drawn group by account_id, fp_id, currency order by account_id, fp_id, currency limit ${MOST_ACCOUNTS}`;
}

/** Draws the balances of each account, with the numbers below it. */
export function balanceCharts({ accounts, shown }: LinkBalances, linkId: string): Markup {
  if (accounts === 0) return paragraph("No balance was observed.", "none");
  const sql = `select * from account_balances where link_id = ${sqlText(linkId)}`;
  const isMore = accounts > shown.length || shown.some(({ changes, points }) => changes > points.length);
  const words = `${shown.length} of ${accounts} accounts, each with its newest ${MOST_CHANGES} changes. All: `;
  return joined(
    ...shown.map((account, at) => joined(chartOf(account, at), numbersOf(account))),
    isMore ? paragraph(joined(words, code(`nightledger query ${shellWord(sql)}`)), "aside") : null,
  );
}

function chartOf(account: AccountBalances, at: number): Markup | null {
  const { low, high, points } = account;
  if (high === null) return null;
  const html = lineChart({
    ...{ id: `balance-${at}`, title: nameOf(account), high: shortAmount(high) },
    ...(low !== null && low !== high && { low: shortAmount(low) }),
    ...{ from: points[0]?.observed_at.slice(0, 10) ?? "", to: "now" },
    points: points.flatMap(({ x, y, observed_at, current }) =>
      y === null ? [] : [{ x, y, title: `${observed_at.slice(0, 16)}: ${shortAmount(current)}` }],
    ),
  });
  return { html };
}

function numbersOf(account: AccountBalances): Markup {
  const amount = (exact: string | null) => (exact === null ? null : figure(shortAmount(exact)));
  return details(
    `The numbers: ${counted(account.changes, "change")} of ${account.account_id}`,
    listing(`Balances of ${nameOf(account)}, the newest first`, "None.", account.points.toReversed(), {
      Observed: "observed_at",
      Current: ({ current }) => amount(current),
      Available: ({ available }) => amount(available),
      Limit: ({ limit }) => amount(limit),
    }),
  );
}

function nameOf({ account_id, currency }: AccountBalances): string {
  return `Current balance of ${account_id}${currency === null ? "" : `, ${currency}`}`;
}
