import { NotThereError } from "../../../domain/failures.js";
import type { Finding } from "../../../domain/run.js";
import { shellWord } from "../../../domain/words/texts.js";
import { QUARANTINE_SOURCES } from "../../../lake/query/quarantine-view.js";
import { sqlText } from "../../../lake/sql/duckdb-sql.js";
import { erasures } from "../../../lake/tables/erasures.js";
import { chip, code, facts, joined, type Markup, paragraph, section } from "../../../pages/parts.js";
import { bankLinkStream } from "../../../streams/bank-links.js";
import { listOf, listsOf, type SqlRow } from "../../lake/query.js";
import { page } from "../page.js";
import {
  findingsTable,
  instant,
  linkTo,
  listing,
  moreOf,
  saying,
  shownOf,
  statusChip,
  type Total,
  tableSection,
} from "../shown.js";
import { syncAction, type Turn } from "./links.js";
import { asItCame, closing, maskedRow, PAYLOAD } from "./quarantine.js";

const MOST_RUNS = 50;
const MOST_BAD_ROWS = 20;
const MOST_REASONS = 20;

/** As `link_freshness` has it; missing for a deleted, unlisted or unread link. */
type Freshness = SqlRow<never, "nights", "committed_at"> & { readonly turn: Turn | null };
type LinkRun = SqlRow<"run_id" | "status" | "finished_at", (typeof COUNTS)[number], "reason" | "certificate">;
const COUNTS = ["pages", "created", "updated", "removed", "quarantined"] as const;

export const link = page("/links/:link", {
  tables: [...QUARANTINE_SOURCES, erasures, bankLinkStream.table],
  async read({ query }, { part }) {
    const link_id = part("link");
    const its = `link_id = ${sqlText(link_id)}`;
    const { freshness, runs, findings, bad_rows, ...lists } = await listsOf(query, {
      // In each user's last list.
      listed: listOf<
        SqlRow<"fp_id" | "observed_at", never, "institution_name" | "state" | "error_code"> & {
          readonly gone: boolean;
        }
      >(`select fp_id, institution_name, state, error_code, observed_at, gone is true as gone from bank_links
        where ${its} qualify row_number() over (partition by fp_id order by observed_at desc) = 1 order by gone, fp_id`),
      freshness: listOf<Freshness>(`select committed_at, nights, turn from link_freshness where ${its}`),
      runs: listOf<
        LinkRun & Total
      >(`select run_id, fp_id, status, reason, ${COUNTS.join(", ")}, certificate, finished_at,
          count(*) over () as total
        from link_syncs where ${its} order by finished_at desc, run_id desc, fp_id limit ${MOST_RUNS}`),
      // Why runs committed nothing; the newest as examples.
      findings: listOf<
        Omit<Finding, "action">
      >(`select status, coalesce(reason, '') as reason, count(*) as count,
          list(run_id order by finished_at desc)[1:3] as examples
        from link_syncs where ${its} and status not in ('synced', 'unchanged', 'superseded')
        group by all order by count desc, status, reason limit ${MOST_REASONS}`),
      bad_rows: listOf<
        SqlRow<"row_id" | "stream" | "list" | "reason" | "fetched_at", never, "transaction_id" | "payload"> &
          Total
      >(
        `select row_id, stream, list, transaction_id, reason, run_id, fetched_at, ${PAYLOAD}, count(*) over () as total
        from quarantine_states where closed_by is null and ${its} order by fetched_at desc, row_id limit ${MOST_BAD_ROWS}`,
      ),
    });
    if (lists.listed.length + runs.length === 0)
      throw new NotThereError(
        `link ${link_id} is not in this lake. The page Links shows those that runs found.`,
      );
    return {
      ...{
        link_id,
        ...lists,
        freshness: freshness[0] ?? null,
        runs: shownOf(runs),
        bad_rows: shownOf(bad_rows.map(maskedRow)),
      },
      findings: findings.map((one) => ({ ...one, action: syncAction(one.status, one.reason) })),
      commands: commandsOf(link_id, findings),
    };
  },
  title: ({ link_id }) => `Link ${link_id}`,
  draw: (model) => {
    const { link_id, listed, freshness, runs, findings, bad_rows, commands } = model;
    const [first] = listed;
    const allBad = code(`nightledger quarantine list --link ${shellWord(link_id)}`);
    const moreBad =
      bad_rows.total > bad_rows.rows.length ? `${bad_rows.total - bad_rows.rows.length} more. ` : "";
    const allRuns = `select * from link_syncs where link_id = ${sqlText(link_id)}`;
    return joined(
      verdict(freshness, runs.rows[0]),
      facts({
        Bank: first?.institution_name ?? null,
        State: first === undefined ? null : saying([first.state, first.error_code], " "),
        "Last commit": freshness && (instant(freshness.committed_at) ?? "never"),
        "Nights in vain": freshness?.nights ?? null,
        "Whose turn": freshness?.turn ?? null,
      }),
      tableSection("Users", "Users that list the link", NOT_LISTED, listed, {
        User: "fp_id",
        State: ({ gone, state, error_code }) =>
          gone ? chip("not listed any more", "note") : saying([state, error_code], " "),
        "Seen so": "observed_at",
      }),
      section(
        "What kept it from being committed",
        findingsTable("Reasons, the most frequent first", "Nothing: each run committed it.", findings, (id) =>
          linkTo("runs", id),
        ),
      ),
      section(
        "Open bad rows",
        listing("Bad rows that are open", "No bad row is open.", bad_rows.rows, {
          Row: "row_id",
          Transaction: ({ transaction_id, stream, list }) => transaction_id ?? `${stream}, ${list}`,
          Why: "reason",
          "As it came": asItCame,
          Fetched: "fetched_at",
          Close: closing,
        }),
        bad_rows.total === 0
          ? null
          : paragraph(joined(moreBad, "All of them, with what is in them: ", allBad), "aside"),
      ),
      section(
        "Runs",
        listing("Runs of the link, the newest first", "No run has read it.", runs.rows, {
          ...{ Run: "run_id", Status: "status", Pages: "pages", Created: "created", Updated: "updated" },
          ...{ Removed: "removed", Quarantined: "quarantined", Certificate: "certificate", Why: "reason" },
          Ended: "finished_at",
        }),
        moreOf(runs, `nightledger query ${shellWord(allRuns)}`),
      ),
      tableSection("Commands", "Commands about the link", "None.", commands, {
        Command: "command",
        "What it does": "does",
      }),
    );
  },
});

const NOT_LISTED = "No list of a user has it: bank_links was not read.";

function verdict(freshness: Freshness | null, newest: LinkRun | undefined): Markup {
  if (newest === undefined) return paragraph(chip("not run", "note"), "lead");
  const { status, reason } = newest;
  const action = freshness === null || freshness.turn === null ? null : syncAction(status, reason);
  const gone = " The customer deleted it, or its user's list no longer has it: nothing is due.";
  const words = ` ${saying([reason, action])}${freshness === null ? gone : ""}`;
  return paragraph(joined(statusChip(status), words), "lead");
}

function commandsOf(linkId: string, findings: readonly Omit<Finding, "action">[]) {
  const id = shellWord(linkId);
  const isSmaller = findings.some(({ reason }) => reason.startsWith("resync_would_remove"));
  const does = {
    [`sync --roster <file> --links ${id}`]: "read this link alone",
    ...(isSmaller && {
      [`sync --roster <file> --full --links ${id}`]:
        "take the shorter list, once you know why so many transactions are gone",
    }),
    [`explain <transaction> --link ${id}`]: "where a transaction came from, and what became of it",
  };
  return Object.entries(does).map(([words, what]) => ({ command: `nightledger ${words}`, does: what }));
}
