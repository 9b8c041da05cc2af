import { hash } from "node:crypto";
import type { SqlRow } from "../../../lake/sql/duckdb-session.js";
import { shortAmount } from "../amount-text.js";

const HEAD = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
`;
const STATUS = element("STATUS", "<CODE>0</CODE><SEVERITY>INFO</SEVERITY>");

/** Writes bank statements as OFX 2: one for each account and currency, whose rows follow each other. */
export async function* ofxText(batches: AsyncIterable<readonly SqlRow[]>): AsyncGenerator<string> {
  const now = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const signedOn = element("SONRS", `${STATUS}<DTSERVER>${now}</DTSERVER><LANGUAGE>ENG</LANGUAGE>`);
  yield `${HEAD}<OFX>${element("SIGNONMSGSRSV1", signedOn)}\n`;
  let [statements, key, rows] = [0, "", [] as SqlRow[]];
  for await (const batch of batches)
    for (const row of batch) {
      const own = JSON.stringify([row.link_id, row.account_id, row.currency]);
      if (own !== key && rows.length > 0) yield statementOf(rows, statements++);
      if (own !== key) [key, rows] = [own, []];
      rows.push(row);
    }
  if (rows.length > 0) yield statementOf(rows, statements++);
  yield statements === 0 ? "</OFX>\n" : "</BANKMSGSRSV1></OFX>\n";
}

function statementOf(rows: readonly SqlRow[], at: number): string {
  const [first = {}] = rows;
  const ids = valued("BANKID", idOf(first.link_id, 9)) + valued("ACCTID", idOf(first.account_id, 22));
  const days = valued("DTSTART", dayOf(first.date)) + valued("DTEND", dayOf(rows.at(-1)?.date));
  const balance =
    first.balance === null || first.balance === undefined
      ? ""
      : element(
          "LEDGERBAL",
          valued("BALAMT", short(first.balance)) + valued("DTASOF", dayOf(first.balance_at)),
        );
  const list = element("BANKTRANLIST", `${days}\n${rows.map(transactionOf).join("")}`);
  const statement = `${valued("CURDEF", first.currency)}${element("BANKACCTFROM", `${ids}<ACCTTYPE>CHECKING</ACCTTYPE>`)}${list}${balance}`;
  const answer = `<TRNUID>${at}</TRNUID>${STATUS}${element("STMTRS", statement)}`;
  return `${at === 0 ? "<BANKMSGSRSV1>" : ""}${element("STMTTRNRS", answer)}\n`;
}

function transactionOf(row: SqlRow): string {
  const name = row.merchant_name ?? row.description ?? row.raw_description;
  return `${element(
    "STMTTRN",
    valued("TRNTYPE", String(row.type).toUpperCase()) +
      valued("DTPOSTED", dayOf(row.date)) +
      valued("TRNAMT", short(row.signed_amount)) +
      valued("FITID", row.transaction_id) +
      (name ? valued("NAME", String(name), 32) : "") +
      (row.description ? valued("MEMO", String(row.description), 255) : ""),
  )}\n`;
}

const short = (amount: unknown) => shortAmount(String(amount));
/** An id that OFX has no room for is the beginning of its sha256. */
const idOf = (value: unknown, most: number) =>
  String(value).length <= most ? value : hash("sha256", String(value)).slice(0, most);
const dayOf = (value: unknown) => String(value).slice(0, 10).replaceAll("-", "");

function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** An element with a text, cut to the characters that OFX allows, without those that XML can't have. */
function valued(name: string, value: unknown, most = Number.POSITIVE_INFINITY): string {
  const text = [...String(value).replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, " ")].slice(0, most).join("");
  return element(name, text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"));
}
