import { styleText } from "node:util";
import stringWidth from "string-width";
import type { JsonValue } from "../../lake/sql/duckdb-values.js";
import { coloured, isFailure } from "../terminal/colours.js";
import type { Terminal } from "../terminal/terminal.js";

type Row = Readonly<Record<string, unknown>>;

export interface TableFlags {
  /** Cuts nothing. */
  readonly wide?: boolean;
  /** Each column on its own line. */
  readonly vertical?: boolean;
  readonly csv?: boolean;
  readonly json?: boolean;
}

interface TableForm {
  /** Without these nothing is left out, since no flag could show it. */
  readonly flags?: TableFlags;
  /** Default: the first row's columns. */
  readonly names?: readonly string[];
  /** They lose trailing zeros on a terminal. */
  readonly decimals?: ReadonlySet<string>;
}

/** They move the cursor, break the line or turn text around. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const SHORT: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const GAP = "  ";
/** Columns on the right go before others become narrower. */
const LEAST_WIDTH = 10;
const LETTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Prints rows as CSV, as a table that fits the terminal, or as {@link blocks}. */
export function showRows(terminal: Terminal, rows: readonly Row[], form: TableForm = {}): void {
  const names = form.names ?? Object.keys(rows[0] ?? {});
  if (form.flags?.csv) {
    const lines = rows.map((row) => csvRow(names.map((name) => (row[name] ?? null) as JsonValue)));
    terminal.result([csvRow(names), ...lines].join("\n"));
  } else if (rows.length === 0 || names.length === 0) terminal.result("no rows");
  else {
    const cells = rows.map((row) =>
      names.map((name) => cellOf(terminal, row[name], form.decimals?.has(name))),
    );
    const heads = names.map((name) => ({ text: printable(name), isNull: false }));
    const needed = heads.map((head, at) => widest([head, ...cells.flatMap((row) => row[at] ?? [])]));
    const width = form.flags?.wide ? undefined : terminal.columns;
    const widths = width === undefined ? needed : fitting(needed, width);
    const isCut = form.flags === undefined && needed.some((wide, at) => wide > (widths[at] ?? 0));
    if (form.flags?.vertical || isCut) terminal.result(blocks(terminal, heads, cells));
    else showGrid(terminal, heads, cells, widths);
  }
}

interface Cell {
  readonly text: string;
  readonly isNull: boolean;
}

function cellOf({ columns }: Terminal, value: unknown, isDecimal = false): Cell {
  if (value === null || value === undefined) return { text: "NULL", isNull: true };
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const isShort = isDecimal && columns !== undefined;
  return {
    text: printable(isShort ? text.replace(/\.0+$|(\.\d*[1-9])0+$/, "$1") : text),
    isNull: false,
  };
}

/** Says which columns had no room. */
function showGrid(
  terminal: Terminal,
  heads: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  widths: readonly number[],
): void {
  const line = (cells: readonly Cell[]) => {
    const shown = cells.slice(0, widths.length);
    return shown
      .map((cell, at) => painted(terminal, cell, padded(cell.text, widths[at] ?? 0)))
      .join(GAP)
      .trimEnd();
  };
  const rule = widths.map((wide) => "─".repeat(wide)).join(GAP);
  terminal.result([line(heads), rule, ...rows.map(line)].join("\n"));
  if (widths.length === heads.length) return;
  terminal.say(
    `showing ${widths.length} of ${heads.length} columns; --vertical shows all, --wide cuts nothing`,
  );
}

/** A line a column. */
function blocks(terminal: Terminal, heads: readonly Cell[], rows: readonly (readonly Cell[])[]): string {
  const wide = widest(heads);
  const lines = rows.flatMap((cells, row) => [
    `── row ${row + 1}`,
    ...cells.map((cell, at) => {
      return `${padded(heads[at]?.text ?? "", wide)}${GAP}${painted(terminal, cell, cell.text)}`.trimEnd();
    }),
  ]);
  return lines.join("\n");
}

/** Dim for null, red for a failure, also one that was cut. */
function painted(terminal: Terminal, { text, isNull }: Cell, shown: string): string {
  if (!terminal.colours) return shown;
  if (isNull) return styleText("dim", shown, { validateStream: false });
  const isCut = !shown.startsWith(text);
  return isCut && isFailure(text)
    ? styleText("red", shown, { validateStream: false })
    : coloured(terminal, shown);
}

/**
 * The width that each column needs, or at most what is left. The first column names the row: it is cut only beyond half
 * of the width.
 */
function fitting([first = 0, ...others]: readonly number[], width: number): number[] {
  const name = Math.min(first, Math.floor(width / 2));
  const kept: number[] = [];
  let least = name;
  for (const needed of others) {
    least += GAP.length + Math.min(needed, LEAST_WIDTH);
    if (least > width) break;
    kept.push(needed);
  }
  let room = width - name - kept.length * GAP.length;
  let most = Number.POSITIVE_INFINITY;
  for (const [at, needed] of kept.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(room / (kept.length - at));
    if (needed > share) {
      most = share;
      break;
    }
    room -= needed;
  }
  return [kept.length === 0 ? Math.min(first, width) : name, ...kept.map((needed) => Math.min(needed, most))];
}

function widest(cells: readonly Cell[]): number {
  return cells.reduce((most, { text }) => Math.max(most, widthOf(text)), 0);
}

function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** Exactly this width, filled or cut. */
function padded(text: string, width: number): string {
  const own = widthOf(text);
  if (own <= width) return text + " ".repeat(width - own);
  let cut = "";
  let taken = 1;
  for (const { segment } of LETTERS.segment(text)) {
    const more = widthOf(segment);
    if (taken + more > width) break;
    taken += more;
    cut += segment;
  }
  return `${cut}…${" ".repeat(width - taken)}`;
}

function printable(text: string): string {
  return text.replace(UNPRINTABLE, (one) => {
    return SHORT[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Null is nothing, and an empty text is quoted. */
export function csvRow(values: readonly JsonValue[]): string {
  return values.map(csvCell).join(",");
}

function csvCell(value: JsonValue): string {
  if (value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text === "" || /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
