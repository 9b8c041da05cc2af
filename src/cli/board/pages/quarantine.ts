import { QUARANTINE_SOURCES } from "../../../lake/query/quarantine-view.js";
import { chip, headline, headNumber, joined, paragraph } from "../../../pages/parts.js";
import { listOf, listsOf, type SqlRow } from "../../lake/query.js";
import { actionForm } from "../actions.js";
import { page } from "../page.js";
import { linkTo, moreOf, tableSection } from "../shown.js";

const MOST_ROWS = 50;
/** Without the payload, which is personal. */
const SHOWN = "row_id, stream, link_id, run_id, reason, fetched_at";

type Row = SqlRow<"row_id" | "stream" | "run_id" | "reason" | "fetched_at", never, "link_id">;

export const quarantine = page("/quarantine", {
  title: "Quarantine",
  tables: QUARANTINE_SOURCES,
  async read({ query }) {
    const { counts, ...lists } = await listsOf(
      query,
      {
        counts: listOf<SqlRow<never, "open" | "closed">>(
          "select count(*) filter (closed_by is null) as open, count(closed_by) as closed from states",
        ),
        by_reason: listOf<SqlRow<"reason", "count">>(`select reason, count(*) as count from states
          where closed_by is null group by reason order by count desc, reason limit ${MOST_ROWS}`),
        rows: listOf<Row>(`select ${SHOWN} from states where closed_by is null
          order by fetched_at desc, row_id limit ${MOST_ROWS}`),
        last_closed: listOf<
          Row & SqlRow<"closed_by", never, "closing_reason">
        >(`select ${SHOWN}, closed_by, closed_at,
          closing_reason from states where closed_by is not null
          order by closed_at desc nulls last, row_id limit ${MOST_ROWS}`),
      },
      "with states as materialized (select * exclude (payload) from quarantine_states)",
    );
    return { open: 0, closed: 0, ...counts[0], ...lists };
  },
  draw: ({ open, closed, by_reason, rows, last_closed }, asked) =>
    joined(
      headline([
        headNumber(open, "bad rows are open", open > 0),
        headNumber(closed, "were closed: by a later reading, or by somebody"),
      ]),
      paragraph(
        "A bad row is one that could not be read as it came. It is loaded by itself when the service sends it right; close what never will be. What it says is personal: nightledger quarantine list --payload shows it.",
      ),
      tableSection("By reason", "Open rows by reason", "No row is open.", by_reason, {
        Reason: "reason",
        Rows: "count",
      }),
      tableSection("Open rows", "Open bad rows, the newest first", "No row is open.", rows, {
        ...COLUMNS,
        "Close it": ({ row_id }) => actionForm(asked, "row-resolve", row_id),
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
