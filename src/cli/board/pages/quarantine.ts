import { maskedJson, maskedText } from "../../../domain/json/masked.js";
import { QUARANTINE_SOURCES } from "../../../lake/query/quarantine-view.js";
import {
  chip,
  code,
  details,
  headline,
  headNumber,
  joined,
  paragraph,
  preformatted,
} from "../../../pages/parts.js";
import { listOf, listsOf, type SqlRow } from "../../lake/query.js";
import { page } from "../page.js";
import { linkTo, moreOf, tableSection } from "../shown.js";

const MOST_ROWS = 50;
const MOST_SHOWN = 1_000;
const SHOWN = "row_id, stream, link_id, run_id, reason, fetched_at";

type Row = SqlRow<"row_id" | "stream" | "run_id" | "reason" | "fetched_at", never, "link_id">;

/** Bad rows are personal: page and model have them masked. */
interface BadRow {
  readonly payload: string | null;
  /** A part of the payload, so masked as well. */
  readonly transaction_id?: string | null;
}
type Masked<Read extends BadRow> = Omit<Read, "payload"> & {
  readonly masked: string;
};

/** The beginning of a bad row. */
export const PAYLOAD = `left(payload, ${MOST_SHOWN}) as payload`;

export function maskedRow<Read extends BadRow>({ payload, ...row }: Read): Masked<Read> {
  const text = payload ?? "";
  const id = row.transaction_id;
  return {
    ...row,
    ...(typeof id === "string" && { transaction_id: maskedText(id) }),
    masked: `${maskedJson(text)}${text.length < MOST_SHOWN ? "" : "…"}`,
  };
}

export const asItCame = ({ masked }: { readonly masked: string }) => details("masked", preformatted(masked));

export const closing = ({ row_id }: Pick<Row, "row_id">) =>
  code(`nightledger quarantine resolve --row ${row_id} --reason "…"`);

export const quarantine = page("/quarantine", {
  title: "Quarantine",
  tables: QUARANTINE_SOURCES,
  async read({ query }) {
    const { counts, rows, ...lists } = await listsOf(
      query,
      {
        counts: listOf<SqlRow<never, "open" | "closed">>(
          "select count(*) filter (closed_by is null) as open, count(closed_by) as closed from states",
        ),
        by_reason: listOf<SqlRow<"reason", "count">>(`select reason, count(*) as count from states
          where closed_by is null group by reason order by count desc, reason limit ${MOST_ROWS}`),
        rows: listOf<
          Row & SqlRow<never, never, "payload">
        >(`select ${SHOWN}, payload from states where closed_by is null
          order by fetched_at desc, row_id limit ${MOST_ROWS}`),
        last_closed: listOf<
          Row & SqlRow<"closed_by", never, "closing_reason">
        >(`select ${SHOWN}, closed_by, closed_at,
          closing_reason from states where closed_by is not null
          order by closed_at desc nulls last, row_id limit ${MOST_ROWS}`),
      },
      `with states as materialized (select * replace (${PAYLOAD}) from quarantine_states)`,
    );
    return { open: 0, closed: 0, ...counts[0], ...lists, rows: rows.map(maskedRow) };
  },
  draw: ({ open, closed, by_reason, rows, last_closed }) =>
    joined(
      headline([
        headNumber(open, "bad rows are open", open > 0),
        headNumber(closed, "were closed: by a later reading, or by somebody"),
      ]),
      paragraph(
        "A bad row is one that could not be read as it came. It is loaded by itself when the service sends it right; close what never will be. What it says is personal, so it is masked here: each letter is x, each digit 0. nightledger quarantine list --payload shows it.",
      ),
      tableSection("By reason", "Open rows by reason", "No row is open.", by_reason, {
        Reason: "reason",
        Rows: "count",
      }),
      tableSection("Open rows", "Open bad rows, the newest first", "No row is open.", rows, {
        ...COLUMNS,
        "As it came": asItCame,
        "Close it": closing,
      }),
      moreOf({ total: open, rows }, "nightledger quarantine list"),
      tableSection("Closed", "Closed bad rows, the last first", "No row was closed.", last_closed, {
        ...COLUMNS,
        "Closed by": ({ closed_by }) => chip(closed_by),
        Why: "closing_reason",
      }),
    ),
});

const COLUMNS = {
  Row: "row_id",
  Link: ({ link_id, stream }: Row) => (link_id === null ? stream : linkTo("links", link_id)),
  "What is wrong": "reason",
  Read: "fetched_at",
  Run: "run_id",
} as const;
