import { ok } from "../answer.js";
import type { Operation } from "../router.js";
import { objectIn } from "../world/truth.js";
import { userOf } from "./owner.js";

const MAX_SIZE = 100;

/** GET /users/{fp_id}/linked_bank_transactions (SERVICE.md 4.4): the rows that are there now, page by page. */
export const listLinkedBankTransactions: Operation = {
  name: "list_linked_bank_transactions",
  method: "GET",
  path: "/users/{fp_id}/linked_bank_transactions",
  query: ["account_ids", "start_date", "end_date", "page", "size"],
  pageOf: (_params, query) => Math.max(0, Number(query.get("page") ?? 1) - 1) || 0,
  handle(call) {
    const { query, state } = call;
    const accounts = query.list("account_ids");
    const from = query.day("start_date") ?? "0000-00-00";
    const to = query.day("end_date") ?? "9999-99-99";
    const page = query.integer("page") ?? 1;
    const size = query.integer("size", MAX_SIZE) ?? MAX_SIZE;
    const rows: string[] = [];
    let total = 0;
    for (const link of state.world.linksOf(userOf(call).fpId)) {
      for (const { text } of link.log.liveRows()) {
        const values = objectIn(text);
        const date = String(values?.date);
        if (date < from || date > to) continue;
        if (accounts && !accounts.includes(String(values?.account_id))) continue;
        if (total >= (page - 1) * size && rows.length < size) rows.push(text);
        total++;
      }
    }
    return ok(`{"page":${page},"size":${size},"total":${total},"transactions":[${rows.join(",")}]}`);
  },
};
