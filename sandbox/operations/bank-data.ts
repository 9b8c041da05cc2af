import { jsonObjectOf } from "../../src/domain/json/value.js";
import { type Answer, ok, okJson } from "../http/answer.js";
import { servedRows } from "../http/dated-times.js";
import { PAGED_LIST, pageWindow } from "../http/page-window.js";
import type { Call, Operation } from "../http/router.js";
import { linkOf, readableLinkOf, userOf } from "../owner.js";
import { type BankLink, originalIdOf } from "../world/bank-link.js";

export const BANK_DATA_OPERATIONS: readonly Operation[] = [
  // docs/reference/service.md, "Bank links"
  {
    name: "list_bank_links",
    method: "GET",
    path: "/users/{fp_id}/bank_links",
    handle: (call) => listOf("links", call.state.world.linksOf(userOf(call).fpId)),
  },
  // docs/reference/service.md, "Bank accounts"
  {
    name: "list_user_accounts",
    method: "GET",
    path: "/users/{fp_id}/linked_bank_accounts",
    handle(call) {
      const links = call.state.world.linksOf(userOf(call).fpId);
      return accountsOf(call, links);
    },
  },
  {
    name: "list_link_accounts",
    method: "GET",
    path: "/bank_links/{link_id}/accounts",
    handle: (call) => accountsOf(call, [linkOf(call)]),
  },
  // docs/reference/service.md, "Bank transactions": the rows that are there now, page by page.
  {
    ...PAGED_LIST,
    name: "list_user_transactions",
    path: "/users/{fp_id}/linked_bank_transactions",
    handle(call) {
      const window = pageWindow(call);
      const { page, size, from } = window;
      const links = call.state.world.linksOf(userOf(call).fpId);
      const moved = links.length > 0 && page > 1 ? call.fire("list_moves") : undefined;
      if (moved) call.state.world.moveList(links[0]!.id, moved.how ?? "remove");
      const rows: string[] = [];
      let total = 0;
      for (const link of links) {
        for (const text of link.listedRows()) {
          const values = jsonObjectOf(text);
          if (!window.takes({ account_id: String(values?.account_id), date: String(values?.date) })) continue;
          if (total >= from && rows.length < size) rows.push(text);
          total++;
        }
      }
      return ok(
        `{"page":${page},"size":${size},"total":${total},"transactions":[${servedRows(call.state, rows.join(","))}]}`,
      );
    },
  },
  // docs/reference/service.md, "Investment transactions": the newest first, so that a row that comes between two pages
  // shifts the rest. Each page holds the securities of its own rows.
  {
    ...PAGED_LIST,
    name: "list_investment_transactions",
    path: "/bank_links/{link_id}/investments/transactions",
    handle(call) {
      const window = pageWindow(call);
      const { page, size, from } = window;
      const { investments } = call.state;
      const link = readableLinkOf(call);
      const moved = page > 1 ? call.fire("list_moves") : undefined;
      if (moved) investments.move(link.id, moved.how ?? "insert");
      const all = investments.transactions(link.id).filter((row) => window.takes(row));
      const rows = all.slice(from, from + size);
      const ids = new Set(rows.map((row) => row.security_id));
      const securities = [...ids].flatMap((id) => (id && investments.security(link.id, id)) || []);
      const texts = servedRows(call.state, rows.map((row) => row.text).join(","));
      return ok(
        `{"page":${page},"size":${size},"total":${all.length},"investment_transactions":[${texts}],"securities":[${securities.join(",")}]}`,
      );
    },
  },
];

function accountsOf({ state }: Call, links: readonly BankLink[]): Answer {
  const accounts = links.flatMap((link) => link.accounts);
  if (!state.service.behaves.has("original-ids")) return listOf("accounts", accounts);
  const records = accounts.map((one) => ({ ...jsonObjectOf(one.text), original_id: originalIdOf(one) }));
  return okJson({ accounts: records });
}

/** A list of records, each byte for byte. */
function listOf(name: string, records: readonly { readonly text: string }[]): Answer {
  return ok(`{"${name}":[${records.map(({ text }) => text).join(",")}]}`);
}
