import { durationWords, SECOND } from "../../../domain/duration.js";
import { shellWord } from "../../../domain/words/shell-word.js";
import { sqlText } from "../../../lake/sql/duckdb-sql.js";
import { chip, code, joined, type Markup, paragraph, shortCode, table } from "../../../pages/parts.js";
import { actionForm } from "../actions.js";
import type { Asked } from "../page.js";
import { instant, linkTo, moreOf, statusChip } from "../shown.js";
import type { LinkBalances } from "./balances.js";
import type { LinkFacts } from "./link-model.js";

export interface LinkModel extends LinkFacts {
  readonly balances: LinkBalances;
  /** What to type about it, with what it does. */
  readonly commands: readonly { readonly command: string; readonly does: string }[];
}

export function verdict({ freshness, findings, runs: { rows } }: LinkModel): Markup {
  const [newest] = rows;
  const isOpen = freshness !== null && freshness.turn !== null;
  const action = isOpen
    ? findings.find(({ status, reason }) => status === newest?.status && reason === (newest.reason ?? ""))
        ?.action
    : null;
  return paragraph(
    joined(
      newest === undefined ? chip("not run", "note") : statusChip(newest.status),
      newest?.reason == null ? null : ` ${newest.reason}`,
      action == null ? null : ` → ${action}`,
      freshness === null && newest !== undefined
        ? " The customer deleted it, or its user's list no longer has it: nothing is due."
        : null,
    ),
    "lead",
  );
}

export function about({ freshness, listed }: LinkModel) {
  const [first] = listed;
  const committed = freshness?.committed_at ?? null;
  return [
    ["Bank", first?.institution_name ?? null],
    [
      "State",
      first === undefined ? null : [first.state, first.error_code].filter((word) => word !== null).join(" "),
    ],
    ["Last commit", freshness === null ? null : (instant(committed) ?? "never")],
    ["Age", freshness === null ? null : durationWords(freshness.age_s * SECOND)],
    ["Nights in vain", freshness?.nights ?? null],
    ["Whose turn", freshness?.turn ?? null],
  ] as const;
}

export function users({ listed }: LinkModel): Markup {
  const columns = [{ name: "User" }, { name: "State" }, { name: "Seen so" }];
  const rows = listed.map(({ fp_id, state, error_code, observed_at, gone }) => [
    code(fp_id),
    gone
      ? chip("not listed any more", "note")
      : [state, error_code].filter((word) => word !== null).join(" "),
    instant(observed_at),
  ]);
  return table(
    "Users that list the link",
    columns,
    rows,
    "No list of a user has it: bank_links was not read.",
  );
}

export function findings({ findings: found }: LinkModel): Markup {
  const columns = [
    { name: "Status" },
    { name: "Why" },
    { name: "Runs", isCount: true },
    { name: "What to do" },
  ];
  const rows = found.map(({ status, reason, count, action }) => [statusChip(status), reason, count, action]);
  return table("Reasons, the most frequent first", columns, rows, "Nothing: each run committed it.");
}

export function badRows({ bad_rows: { total, rows }, link_id }: LinkModel, asked: Asked): Markup {
  const columns = ["Row", "Transaction", "Why", "Fetched", "Close"].map((name) => ({ name }));
  const shown = rows.map(({ row_id, stream, list, transaction_id, reason, fetched_at }) => [
    code(row_id),
    transaction_id ?? `${stream}, ${list}`,
    reason,
    instant(fetched_at),
    actionForm(asked, "row-resolve", row_id),
  ]);
  const more = total > rows.length ? `${total - rows.length} more. ` : "";
  const all = code(`nightledger quarantine list --link ${shellWord(link_id)}`);
  return joined(
    table("Bad rows that are open", columns, shown, "No bad row is open."),
    total === 0 ? null : paragraph(joined(more, "All of them, with what is in them: ", all), "aside"),
  );
}

export function runs({ runs: read, link_id }: LinkModel): Markup {
  const counts = ["pages", "created", "updated", "removed", "quarantined"] as const;
  const columns = [
    ...[{ name: "Run" }, { name: "Status" }],
    ...counts.map((name) => ({ name: name.replace(/^./, (letter) => letter.toUpperCase()), isCount: true })),
    ...[{ name: "Certificate" }, { name: "Why" }, { name: "Ended" }],
  ];
  const shown = read.rows.map((row) => [
    linkTo("runs", row.run_id),
    statusChip(row.status),
    ...counts.map((name) => row[name]),
    row.certificate === null ? null : shortCode(row.certificate),
    row.reason,
    instant(row.finished_at),
  ]);
  const sql = `select * from link_syncs where link_id = ${sqlText(link_id)}`;
  return joined(
    table("Runs of the link, the newest first", columns, shown, "No run has read it."),
    moreOf(read, `nightledger query ${shellWord(sql)}`),
  );
}

export function commands({ commands: given }: LinkModel): Markup {
  const columns = [{ name: "Command" }, { name: "What it does" }];
  return table(
    "Commands about the link",
    columns,
    given.map(({ command, does }) => [code(command), does]),
  );
}
