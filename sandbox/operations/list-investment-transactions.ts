import { ok } from "../http/answer.js";
import { LIST_QUERY, pageIndex, pageWindow } from "../http/page-window.js";
import type { Operation } from "../http/router.js";
import { linkOf } from "../owner.js";

/**
 * GET /bank_links/{link_id}/investments/transactions (docs/reference/service.md, "Investment transactions"): the
 * newest first, so that a row that comes between two pages shifts the rest. Each page holds the
 * securities of its own rows.
 */
export const listInvestmentTransactions: Operation = {
  name: "list_investment_transactions",
  method: "GET",
  path: "/bank_links/{link_id}/investments/transactions",
  query: LIST_QUERY,
  pageOf: (_params, query) => pageIndex(query),
  handle(call) {
    const window = pageWindow(call);
    const { page, size, from } = window;
    const { investments } = call.state;
    const link = linkOf(call);
    const moved = page > 1 ? call.fire("list_moves") : undefined;
    if (moved) investments.move(link.id, moved.how ?? "insert");
    const all = investments.transactions(link.id).filter((row) => window.takes(row));
    const rows = all.slice(from, from + size);
    const ids = new Set(rows.map((row) => row.security_id));
    const securities = [...ids].flatMap((id) => (id && investments.security(link.id, id)) || []);
    const texts = rows.map((row) => row.text).join(",");
    return ok(
      `{"page":${page},"size":${size},"total":${all.length},"investment_transactions":[${texts}],"securities":[${securities.join(",")}]}`,
    );
  },
};
