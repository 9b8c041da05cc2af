import { QUARANTINE_SOURCES } from "../../../lake/query/quarantine-view.js";
import {
  type Content,
  chip,
  code,
  headline,
  joined,
  paragraph,
  section,
  table,
} from "../../../pages/parts.js";
import { rowsOf } from "../../lake/query.js";
import { actionForm } from "../actions.js";
import { page } from "../page.js";
import { instant, linkTo } from "../shown.js";

const MOST_ROWS = 50;
/** Without the payload, which is personal. */
const SHOWN = "row_id, stream, link_id, run_id, reason, fetched_at";

interface Row {
  readonly row_id: string;
  readonly stream: string;
  readonly link_id: string | null;
  readonly run_id: string;
  readonly reason: string;
  readonly fetched_at: string;
}

interface ClosedRow extends Row {
  readonly closed_by: string;
  readonly closed_at: string | null;
  readonly closing_reason: string | null;
}

interface Quarantine {
  readonly open: number;
  readonly closed: number;
  readonly by_reason: readonly { readonly reason: string; readonly count: number }[];
  readonly rows: readonly Row[];
  readonly last_closed: readonly ClosedRow[];
}

export const quarantine = page<Quarantine>("/quarantine", {
  name: "Quarantine",
  tables: QUARANTINE_SOURCES,
  async read({ query }) {
    const [counts] = await rowsOf<{ readonly open: number; readonly closed: number }>(
      query,
      "select count(*) filter (closed_by is null) as open, count(closed_by) as closed from quarantine_states",
    );
    return {
      ...{ open: Number(counts?.open ?? 0), closed: Number(counts?.closed ?? 0) },
      by_reason: await rowsOf(
        query,
        `select reason, count(*) as count from quarantine_states where closed_by is null
          group by reason order by count desc, reason limit ${MOST_ROWS}`,
      ),
      rows: await rowsOf(
        query,
        `select ${SHOWN} from quarantine_states where closed_by is null order by fetched_at desc, row_id limit ${MOST_ROWS}`,
      ),
      last_closed: await rowsOf(
        query,
        `select ${SHOWN}, closed_by, closed_at, closing_reason from quarantine_states where closed_by is not null
          order by closed_at desc nulls last, row_id limit ${MOST_ROWS}`,
      ),
    };
  },
  title: () => "Quarantine",
  draw: (model, asked) =>
    joined(
      headline([
        { value: model.open, label: "bad rows are open", tone: model.open > 0 ? "bad" : undefined },
        { value: model.closed, label: "were closed: by a later reading, or by somebody" },
      ]),
      paragraph(
        "A bad row is one that could not be read as it came. It is loaded by itself when the service sends it right; close what never will be. What it says is personal: nightledger quarantine list --payload shows it.",
      ),
      section(
        "By reason",
        table(
          "Open rows by reason",
          [{ name: "Reason" }, { name: "Rows", isCount: true }],
          model.by_reason.map(({ reason, count }) => [reason, count]),
          "No row is open.",
        ),
      ),
      section(
        "Open rows",
        table(
          "Open bad rows, the newest first",
          [...COLUMNS, { name: "Close it" }],
          model.rows.map((row) => [...cells(row), actionForm(asked, "row-resolve", row.row_id)]),
          "No row is open.",
        ),
        model.open > MOST_ROWS
          ? paragraph(`${model.open - MOST_ROWS} more: nightledger quarantine list`)
          : null,
      ),
      section(
        "Closed",
        table(
          "Closed bad rows, the last first",
          [...COLUMNS, { name: "Closed by" }, { name: "Why" }],
          model.last_closed.map((row) => [...cells(row), chip(row.closed_by), row.closing_reason]),
          "No row was closed.",
        ),
      ),
    ),
});

const COLUMNS = ["Row", "Link", "What is wrong", "Read", "Run"].map((name) => ({ name }));

function cells({ row_id, stream, link_id, reason, fetched_at, run_id }: Row): Content[] {
  return [
    code(row_id),
    link_id === null ? stream : linkTo("links", link_id),
    reason,
    instant(fetched_at),
    linkTo("runs", run_id),
  ];
}
