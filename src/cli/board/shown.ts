import { kindWords } from "../../domain/bulk/bulk-job.js";
import { instantText } from "../../domain/duration.js";
import type { Finding } from "../../domain/run.js";
import {
  type Content,
  chip,
  code,
  html,
  joined,
  link,
  type Markup,
  paragraph,
  section,
  shortCode,
  table,
} from "../../pages/parts.js";
import type { SqlRow } from "../lake/query.js";

const GOOD = new Set(["completed", "synced", "unchanged", "pass"]);
const BAD = new Set(["failed", "completed_with_failures", "lost", "interrupted"]);

/** By the field's name; instants end with `_at`. */
const FIELDS: Readonly<Record<string, (value: string) => Content>> = {
  batch_id: (id) => linkTo("onboarding", id),
  certificate: (hash) => shortCode(hash),
  command: code,
  fp_id: code,
  kind: kindWords,
  link_id: (id) => linkTo("links", id),
  playbook_key: code,
  row_id: code,
  rule: code,
  run_id: (id) => linkTo("runs", id),
  schedule: (name) => link("/schedules", name),
  status: (status) => statusChip(status),
};

type Cell<Row> = (keyof Row & string) | ((row: Row) => Content);

/** Rows as a table; without rows it says `none`. */
export function listing<Row extends object>(
  label: string,
  none: string,
  rows: readonly Row[],
  columns: Readonly<Record<string, Cell<Row>>>,
): Markup {
  const cells = rows.map((row) => Object.values(columns).map((cell) => cellOf(row, cell)));
  return table(label, none, Object.keys(columns), cells);
}

export function tableSection<Row extends object>(
  title: string,
  ...given: Parameters<typeof listing<Row>>
): Markup {
  return section(title, listing(...given));
}

function cellOf<Row>(row: Row, cell: Cell<Row>): Content {
  if (typeof cell === "function") return cell(row);
  const value = row[cell] as string | number | null | undefined;
  // No type checks rows of SQL.
  if (value === undefined) throw new Error(`a row of this page has no ${cell}`);
  if (value === null || typeof value === "number") return value;
  return cell.endsWith("_at") ? instant(value) : (FIELDS[cell]?.(value) ?? value);
}

/** Failures by cause, the most frequent first, with what to do. */
export function findingsTable(
  label: string,
  none: string,
  findings: readonly Finding[],
  exampleOf: (id: string) => Content = (id) => id,
): Markup {
  return listing(label, none, findings, {
    Status: "status",
    "How many": "count",
    Why: "reason",
    "What to do": "action",
    "Such as": ({ examples, count }) =>
      joined(
        ...examples.flatMap((id, at) => [at === 0 ? null : ", ", exampleOf(id)]),
        examples.length > 0 && count > examples.length ? ", …" : null,
      ),
  });
}

export function statusChip(status: string, isMadeGood = false): Markup {
  const tone = GOOD.has(status) ? "good" : BAD.has(status) && !isMadeGood ? "bad" : "note";
  return chip(`${kindWords(status)}${isMadeGood ? ", made good since" : ""}`, tone);
}

export function saying(words: readonly (string | null | undefined)[], between = " → "): string {
  return words.filter((word) => word !== null && word !== undefined && word !== "").join(between);
}

/** To the second. */
export function instant(at: string | null): Markup | null {
  return at === null || at === "" ? null : html`<time datetime="${at}">${instantText(new Date(at))}</time>`;
}

export function progressBar(done: number, total: number): Markup {
  return html`<progress max="${Math.max(1, total)}" value="${done}" aria-label="${done} of ${total}"></progress>
`;
}

interface Shown<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

export type Total = SqlRow<never, "total">;

export function shownOf<Row extends object>(rows: readonly (Row & Total)[]): Shown<Row> {
  return { total: rows[0]?.total ?? 0, rows: rows.map(({ total: _, ...row }) => row as unknown as Row) };
}

/** The count of rows left out, and the command for all. */
export function moreOf({ total, rows }: Shown<unknown>, command: string): Markup | null {
  return total > rows.length
    ? paragraph(joined(`${total - rows.length} more: `, code(command)), "aside")
    : null;
}

export function linkTo(place: "runs" | "links" | "onboarding", id: string, text = id): Markup {
  return link(`/${place}/${encodeURIComponent(id)}`, text);
}

export function toCopy(commands: readonly string[]): Markup {
  return joined(...commands.map((command) => paragraph(code(command))));
}

export function warning(words: string | null): Markup | null {
  return words === null ? null : paragraph(words, "warning");
}
