import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type CellValue, writeXlsxStream } from "hucre/xlsx";
import { InputError } from "../../domain/failures.js";
import type { LakeQuery } from "../../lake/query/query.js";
import type { SqlColumn } from "../../lake/sql/duckdb-session.js";
import type { JsonValue } from "../../lake/sql/duckdb-values.js";

/** Rows of a sheet, without its header. */
const MOST_ROWS = 1_048_575;
const MOST_CHARACTERS = 32_767;
/** Significant digits that Excel keeps of a number. */
const MOST_DIGITS = 15;
/** Excel has a day before it that never was. */
const FIRST_DAY = "1900-03-01";

/** Streams the rows of a statement into a file of Excel, with one sheet. Returns how many. @throws InputError where they don't fit into it */
export async function writeSheet(
  lake: Pick<LakeQuery, "query">,
  sql: string,
  sink: Writable,
  mostRows = MOST_ROWS,
): Promise<number> {
  let columns: readonly SqlColumn[] = [];
  const began = (given: readonly SqlColumn[]) => {
    columns = given;
  };
  const batches = lake.query(sql, { began });
  // The sheet begins with its columns.
  const first = await batches.next();
  let count = 0;
  async function* rows() {
    try {
      for (let batch = first; !batch.done; batch = await batches.next()) {
        for (const row of batch.value) {
          if (count === mostRows) throw tooLarge(`more than ${mostRows} rows`);
          count += 1;
          yield columns.map(({ name, type }) => cellOf(type, row[name] ?? null));
        }
      }
    } finally {
      await batches.return?.();
    }
  }
  const headers = columns.map(({ name }) => ({
    header: plainText(name),
    width: Math.max(name.length, 10) + 2,
  }));
  await pipeline(writeXlsxStream(rows(), { name: "rows", columns: headers, freezePane: { rows: 1 } }), sink);
  return count;
}

const WHOLE_OR_DECIMAL = /^(DECIMAL\(\d+,\d+\)|U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER)$/;

/** Gives a value as a cell that shows every digit: what a number of Excel can't hold is text. */
function cellOf(type: string, value: JsonValue): CellValue {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "object") return plainText(JSON.stringify(value));
  if (typeof value === "number" && !WHOLE_OR_DECIMAL.test(type)) return value;
  const text = String(value);
  if (WHOLE_OR_DECIMAL.test(type)) return significant(text) <= MOST_DIGITS ? Number(text) : text;
  if (type === "DATE" && /^\d{4}-\d\d-\d\d$/.test(text) && text >= FIRST_DAY) return new Date(text);
  return plainText(text);
}

function significant(text: string): number {
  return text.replace(/\D/g, "").replace(/^0+|0+$/g, "").length;
}

/** Escapes what Excel would take for an escape, and what XML can't hold. @throws InputError for a text that is too long */
function plainText(text: string): string {
  if (text.length > MOST_CHARACTERS) throw tooLarge(`a text of more than ${MOST_CHARACTERS} characters`);
  return text
    .replace(/_(?=x[\da-f]{4}_)/gi, "_x005F_")
    .replace(/[\uFFFE\uFFFF]/g, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase()}_`);
}

function tooLarge(what: string): InputError {
  return new InputError(
    `--output: a sheet of Excel can't hold ${what}. Nothing was written. Write .csv or .parquet, or select less.`,
  );
}
