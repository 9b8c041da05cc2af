import { sqlName } from "../sql/duckdb-sql.js";
import { transactions } from "../tables/transactions.js";
import type { Batch } from "./batches.js";
import { SUPERSEDED } from "./shared-tables.js";
import { numbersOf, reading } from "./sources.js";

const COLUMNS = transactions.columns.map(({ name }) => sqlName(name)).join(", ");

/** The rows that a batch of feed files brings. */
export function batchQuery({ feed, parts, part }: Batch): string {
  return `select ${COLUMNS} from ${reading(feed)}
    anti join (select link_id, sequence from ${SUPERSEDED} where file in ${numbersOf(feed)}) using (link_id, sequence)
    where change_type <> 'removed' ${parts > 1 ? `and hash(transaction_id) % ${parts} = ${part}` : ""}`;
}
