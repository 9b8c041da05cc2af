import { ok } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { userOf } from "../owner.js";

/** GET /users/{fp_id}/linked_bank_accounts (docs/reference/service.md, "Bank accounts"). */
export const listUserAccounts: Operation = {
  name: "list_user_accounts",
  method: "GET",
  path: "/users/{fp_id}/linked_bank_accounts",
  handle(call) {
    const accounts = call.state.world.linksOf(userOf(call).fpId).flatMap((link) => link.accounts);
    return ok(`{"accounts":[${accounts.map((account) => account.text).join(",")}]}`);
  },
};
