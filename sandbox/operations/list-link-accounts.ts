import { ok } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { linkOf } from "../owner.js";

/** GET /bank_links/{link_id}/accounts (docs/reference/service.md, "Bank accounts"). */
export const listLinkAccounts: Operation = {
  name: "list_link_accounts",
  method: "GET",
  path: "/bank_links/{link_id}/accounts",
  handle: (call) =>
    ok(
      `{"accounts":[${linkOf(call)
        .accounts.map((account) => account.text)
        .join(",")}]}`,
    ),
};
