import { okJson, Refusal, refuse } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { isInError, linkOf } from "../owner.js";
import { Fields } from "../vault/fields.js";
import { type BankLink, originalIdOf } from "../world/bank-link.js";
import { isDay } from "../world/days.js";
import type { TransactionRow } from "../world/records.js";

const FIELDS = ["account_id", "amount", "date", "description", "transaction_id", "transaction_type"];

const ISO_DATE = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** A row as it is imported (docs/reference/service.md, "Transaction import"). */
interface ImportedRow {
  readonly id: string | undefined;
  readonly row: Omit<TransactionRow, "transaction_id">;
}

/**
 * POST /bank_links/{link_id}/import/transactions (docs/reference/service.md, "Transaction import"): the rows come back
 * through sync as created. All are taken, or none. A `transaction_id` becomes the row's id. What a second row
 * of that id does is not shown; see `importDuplicates` in service.ts.
 */
export const importTransactions: Operation = {
  name: "import_transactions",
  method: "POST",
  path: "/bank_links/{link_id}/import/transactions",
  body: "whole",
  handle(call) {
    const { service } = call.state;
    const link = linkOf(call);
    if (service.behaves.has("readable-errors") && !isInError(link))
      refuse("only a link in state error takes imports");
    const body = new Fields(call.body.json(), ["transactions"]);
    const list = body.list("transactions") ?? body.refuse("transactions", "missing");
    if (list.length > service.maxImportRows) {
      body.refuse("transactions", `more than ${service.maxImportRows} rows`);
    }
    const isOriginal = service.behaves.has("original-ids");
    const rows = list.map((value, index) => importedRow(value, index, link, isOriginal));
    const given = rows.flatMap(({ id }) => id ?? []);
    if (service.importDuplicates === "refuse") {
      const known = given.some((id, index) => link.log.live(id) !== undefined || given.indexOf(id) < index);
      if (known) refuse("a transaction_id is there already");
    }
    const partial = call.fire("partial_import");
    for (const row of rows.slice(0, partial?.rows)) {
      if (isOriginal || service.behaves.has("own-ids")) writeUnderOwnId(link, row, isOriginal);
      else write(link, row, service.importDuplicates);
    }
    if (partial)
      throw new Refusal(partial.status ?? 500, "fault", "only a part of the rows was imported, by a fault");
    return okJson({});
  },
};

function importedRow(value: unknown, index: number, link: BankLink, isOriginal: boolean): ImportedRow {
  const fields = new Fields(value, FIELDS, `transactions[${index}]`);
  const accountId = fields.required("account_id");
  const account =
    link.accounts.find((one) => accountId === (isOriginal ? originalIdOf(one) : one.id)) ??
    fields.refuse("account_id", "not of this bank link");
  const amount = fields.required("amount");
  if (!/^-?\d{1,18}(\.\d{1,10})?$/.test(amount)) fields.refuse("amount", "not a decimal number in a string");
  const date = fields.required("date");
  const [, day = "", time] = ISO_DATE.exec(date) ?? [];
  if (!isDay(day)) fields.refuse("date", "not an ISO 8601 date");
  const type = fields.oneOf("transaction_type", ["debit", "credit"] as const);
  const description = fields.text("description");
  return {
    id: fields.text("transaction_id"),
    row: {
      account_id: account.id,
      amount,
      currency: "USD",
      date: day,
      datetime: time === undefined ? null : date,
      type: type ?? (amount.startsWith("-") ? "credit" : "debit"),
      pending: false,
      description: description ?? null,
      raw_description: description ?? null,
    },
  };
}

/** The row comes under an id of the service's own, with the caller's beside it where it shows that. */
function writeUnderOwnId(link: BankLink, { id, row }: ImportedRow, isShown: boolean): void {
  const transaction_id = link.newTransactionId();
  const shown = isShown ? { original_id: id ?? null } : {};
  link.write("created", transaction_id, { transaction_id, ...row, ...shown });
}

function write(link: BankLink, { id, row }: ImportedRow, duplicates: string): void {
  const known = id !== undefined && link.log.live(id) !== undefined;
  if (known && duplicates === "ignore") return;
  const update = known && duplicates === "update";
  const transaction_id = id === undefined || (known && !update) ? link.newTransactionId() : id;
  link.write(update ? "updated" : "created", transaction_id, { transaction_id, ...row });
}
