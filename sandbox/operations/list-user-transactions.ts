import { ok } from "../http/answer.js";
import { LIST_QUERY, pageIndex, pageWindow } from "../http/page-window.js";
import type { Operation } from "../http/router.js";
import { userOf } from "../owner.js";
import { objectIn } from "../world/truth.js";

/**
 * GET /users/{fp_id}/linked_bank_transactions (docs/reference/service.md, "Bank transactions"): the rows that are
 * there now, page by page.
 */
export const listUserTransactions: Operation = {
  name: "list_user_transactions",
  method: "GET",
  path: "/users/{fp_id}/linked_bank_transactions",
  query: LIST_QUERY,
  pageOf: (_params, query) => pageIndex(query),
  handle(call) {
    const window = pageWindow(call);
    const { page, size, from } = window;
    const links = call.state.world.linksOf(userOf(call).fpId);
    const moved = links.length > 0 && page > 1 ? call.fire("list_moves") : undefined;
    if (moved) call.state.world.moveList(links[0]!.id, moved.how ?? "remove");
    const rows: string[] = [];
    let total = 0;
    for (const link of links) {
      for (const { text } of link.log.liveRows()) {
        const values = objectIn(text);
        if (!window.takes({ account_id: String(values?.account_id), date: String(values?.date) })) continue;
        if (total >= from && rows.length < size) rows.push(text);
        total++;
      }
    }
    return ok(`{"page":${page},"size":${size},"total":${total},"transactions":[${rows.join(",")}]}`);
  },
};
