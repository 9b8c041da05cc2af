import { InputError } from "../../domain/failures.js";
import type { LakeReader } from "../../lake/query/query-views.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import { explainTransaction } from "../../lake/sync/explain/explain-transaction.js";
import type { Explanation } from "../../lake/sync/explain/explanation.js";
import { foundRows } from "../../lake/sync/explain/found-rows.js";
import { investmentTransactionStream } from "../../streams/investment-transactions.js";
import { lakeStore } from "../lake/query.js";
import { withLakeReader } from "../lake/reader.js";
import { showResult } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { explanationLines } from "./explain-text.js";

export interface ExplainFlags {
  readonly link?: string;
  readonly json?: boolean;
}

/**
 * Explains where a transaction came from and what became of it: the exit code, 1 where a certificate does not hold.
 * @throws InputError where no link of the lake has the id.
 */
export async function runExplain(
  terminal: Terminal,
  id: string,
  { link, json }: ExplainFlags,
): Promise<number> {
  const store = await lakeStore(terminal);
  const found = await withLakeReader(store, async (lake) => {
    const explained = await explainTransaction(lake, id, link);
    if (explained.length === 0) throw await unknownId(lake, id, link);
    return explained;
  });
  showResult(terminal, json, { items: found }, ({ items }) => textOf(items));
  return found.every(({ proof }) => proof.holds) ? EXIT.completed : EXIT.failures;
}

async function unknownId(lake: LakeReader, id: string, link: string | undefined): Promise<InputError> {
  const { table } = investmentTransactionStream;
  const its = `investment_transaction_id = ${sqlText(id)}`;
  if ((await foundRows(lake, table, its)).length > 0)
    return new InputError(
      `${id} is an investment transaction, and explain covers only those of the table transactions. Nothing was changed. ` +
        `Its history, with nightledger query: select * from ${table.name} where ${its} order by observed_at`,
    );
  const where = link === undefined ? "in this lake" : `in link ${link}`;
  const next =
    link === undefined
      ? "Ids are those of the column transaction_id; a sync brings what is new at the bank."
      : "Leave --link out to search every link.";
  return new InputError(`there is no transaction ${id} ${where}. Nothing was changed. ${next}`);
}

function textOf(found: readonly Explanation[]): string {
  const several =
    found.length > 1 ? [`${found.length} links have this id; --link shows one of them`, ""] : [];
  return [...several, found.map((one) => explanationLines(one).join("\n")).join("\n\n")].join("\n");
}
