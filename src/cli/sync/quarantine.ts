import { InputError } from "../../domain/failures.js";
import { counted } from "../../domain/words/counted.js";
import { lakeAt } from "../../lake/lake.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { rowsOf, withStoreQuery } from "../../lake/query/store-query.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import {
  openQuarantine,
  type QuarantinedRow,
  type QuarantineFilter,
  quarantinedRows,
  resolveRows,
} from "../../lake/sync/quarantine.js";
import { linkSyncs } from "../../lake/tables/link-syncs.js";
import { runs } from "../../lake/tables/runs.js";
import { missingLinks } from "../lake/missing-links.js";
import { notEnded } from "../lake/near-run.js";
import { existingLake, lakeStore } from "../lake/query.js";
import { withLakeReader } from "../lake/reader.js";
import type { Terminal } from "../terminal/terminal.js";

interface ListFlags {
  readonly all?: boolean;
  readonly link?: string;
  readonly run?: string;
  readonly payload?: boolean;
  readonly json?: boolean;
}

/** Lists bad rows. @throws InputError for an unknown link */
export async function listQuarantine(terminal: Terminal, flags: ListFlags): Promise<void> {
  const { all, link, run, payload, json } = flags;
  const store = await lakeStore(terminal);
  const rows = await withLakeReader(store, (lake) => quarantinedRows(lake, { all, link, run }, payload));
  if (link !== undefined && rows.length === 0 && (await missingLinks(store, [link], linkSyncs)).length > 0)
    throw new InputError(
      `--link: the lake knows no bank link ${link}. \`nightledger query "from link_freshness"\` shows those that it knows.`,
    );
  if (run !== undefined && rows.length === 0) await sayUnknown(terminal, store, run);
  if (json) return terminal.result(JSON.stringify({ items: rows.map(forJson) }));
  const open = rows.filter(({ closed_by }) => closed_by === null).length;
  const count = all ? `${counted(rows.length, "bad row")}, ${open} open` : `${open} open`;
  terminal.result([...rows.flatMap(linesOf), count].join("\n"));
  if (open > 0)
    terminal.say(
      'close rows that can never become good with: nightledger quarantine resolve --row <id> --reason "…"',
    );
}

/** No run of this id has ended: it may be misspelled. */
async function sayUnknown(terminal: Terminal, store: ObjectStore, runId: string): Promise<void> {
  const words = async (query: LakeQuery) => {
    const ended = await rowsOf(query, `from runs where run_id = ${sqlText(runId)}`);
    return ended.length === 0 ? await notEnded(query, runId) : undefined;
  };
  const said = await withStoreQuery(store, words, { tables: [runs] });
  if (said !== undefined) terminal.say(`--run: ${said}`);
}

interface ResolveFlags {
  readonly reason: string;
  readonly row?: readonly string[];
  readonly link?: string;
  readonly run?: string;
  readonly allOpen?: boolean;
  readonly json?: boolean;
}

/**
 * Closes open rows.
 * @throws InputError without a reason, or for rows that are not there
 */
export async function resolveQuarantine(terminal: Terminal, flags: ResolveFlags): Promise<void> {
  const reason = flags.reason.trim();
  if (reason === "")
    throw new InputError("--reason is empty. Nothing was closed. Say why the rows are closed.");
  const filter = filterOf(flags);
  const lake = lakeAt(await existingLake(terminal));
  try {
    if (filter.rows !== undefined) await expectThere(lake, filter.rows);
    const closed = await resolveRows(lake, filter, reason);
    const { rows: open } = await openQuarantine(lake);
    if (flags.json) return terminal.result(JSON.stringify({ closed: closed.map(forJson), open }));
    const outcome =
      closed.length === 0 ? "no open row matches; nothing was closed" : `${closed.length} closed`;
    terminal.result([...closed.flatMap(linesOf), `${outcome}, ${open} open`].join("\n"));
  } finally {
    await lake.close();
  }
}

function filterOf({ row, link, run, allOpen }: ResolveFlags): QuarantineFilter {
  const given = [row, link, run, allOpen].filter((value) => value !== undefined);
  if (given.length === 1) return { rows: row, link, run };
  throw new InputError(
    `${given.length === 0 ? "Nothing says which rows" : "Rows are named in more than one way"}. Nothing was closed. ` +
      "Accepted: one of --row, --link, --run and --all-open.",
  );
}

async function expectThere(lake: ReturnType<typeof lakeAt>, ids: readonly string[]): Promise<void> {
  const known = new Set((await quarantinedRows(lake, { all: true, rows: ids })).map(({ row_id }) => row_id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  throw new InputError(
    `${unknown.join(", ")}: no row in quarantine has this id. Nothing was closed. \`nightledger quarantine list --all\` shows all ids.`,
  );
}

/** Only the payload may be personal. */
function linesOf(row: QuarantinedRow): string[] {
  const { row_id, link_id, fp_id, transaction_id, stream, list, reason, fetched_at, run_id, payload } = row;
  const place = stream === list ? stream : `${stream}, ${list}`;
  const at = String(fetched_at).slice(0, 16).replace("T", " ");
  const { closed_by, closing_reason } = row;
  const closer = WORDS[String(closed_by)] ?? closed_by;
  const why = closing_reason === null ? "" : `: ${closing_reason}`;
  return [
    [row_id, link_id ?? fp_id, ...(transaction_id === null ? [] : [transaction_id])].join("  "),
    ...String(reason)
      .split("; ")
      .map((rule) => INDENT + rule),
    `${INDENT}${place}; ${at}, ${run_id}`,
    ...(closed_by === null ? [] : [`${INDENT}closed by ${closer}${why}`]),
    ...(payload === undefined ? [] : [`${INDENT}${payload}`]),
  ];
}

const INDENT = " ".repeat(6);

const WORDS: Readonly<Record<string, string>> = {
  change: "a later change of the transaction",
  reading: "a later reading",
  person: "somebody",
};

function forJson({ page, index, ...row }: QuarantinedRow): object {
  return { ...row, page: Number(page), index: Number(index) };
}
