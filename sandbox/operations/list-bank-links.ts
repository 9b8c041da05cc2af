import { ok } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { userOf } from "../owner.js";

/** GET /users/{fp_id}/bank_links (docs/reference/service.md, "Bank links"). */
export const listBankLinks: Operation = {
  name: "list_bank_links",
  method: "GET",
  path: "/users/{fp_id}/bank_links",
  handle(call) {
    const links = call.state.world.linksOf(userOf(call).fpId);
    return ok(`{"links":[${links.map((link) => link.text).join(",")}]}`);
  },
};
