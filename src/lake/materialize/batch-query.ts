import { sqlName, sqlText } from "../sql/duckdb-sql.js";
import { transactions } from "../tables/transactions.js";
import type { Batch } from "./batches.js";
import { FRESH, GONE, SUPERSEDED } from "./shared-tables.js";
import { fileNumber, numbersOf, reading } from "./sources.js";

const COLUMNS = transactions.columns.map(({ name }) => sqlName(name)).join(", ");

/** The rows that a batch writes. */
export function batchQuery(batch: Batch): string {
  return queryOf(batch, COLUMNS, true);
}

/** Days and links of about the same rows, for cutting them: those that will be left out are still counted. */
export function narrowQuery(batch: Batch): string {
  return queryOf(batch, 'link_id, "date"', false);
}

function queryOf(batch: Batch, columns: string, exact: boolean): string {
  const { feed, live, months, parts, part } = batch;
  const where = (condition: string) =>
    [condition, parts > 1 ? `hash(transaction_id) % ${parts} = ${part}` : "true"].join(" and ");
  const queries: string[] = [];
  if (feed.length > 0) {
    queries.push(
      `select ${columns} from ${reading(feed)} ${
        exact
          ? `anti join (select link_id, sequence from ${SUPERSEDED} where file in ${numbersOf(feed)}) using (link_id, sequence)`
          : ""
      } where ${where("change_type <> 'removed'")}`,
    );
  }
  if (live.length > 0) {
    queries.push(
      `select ${columns} from ${reading(live)} ${
        exact
          ? `anti join (select file, "row" from ${GONE} where file in ${numbersOf(live)}) gone
            on gone."row" = file_row_number and gone.file = ${fileNumber(live)}`
          : ""
      } where ${where("true")}`,
    );
  }
  if (months.length > 0) {
    const ofMonths = `fresh_month in (${months.map(sqlText).join(", ")})`;
    queries.push(`select ${columns} from ${FRESH} where ${where(ofMonths)}`);
  }
  return queries.join(" union all ");
}
