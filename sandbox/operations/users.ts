import { ok, okJson } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { userOf } from "../owner.js";
import { Fields } from "../vault/fields.js";
import { tokenGrant } from "../vault/token-store.js";

export const USER_OPERATIONS: readonly Operation[] = [
  // docs/reference/service.md, "User lookup"; its shape is not shown there.
  {
    name: "get_user",
    method: "GET",
    path: "/users/{fp_id}",
    handle: (call) => ok(userOf(call).text),
  },
  // docs/reference/service.md, "Client tokens"
  {
    name: "create_client_token",
    method: "POST",
    path: "/users/{fp_id}/client_token",
    body: "whole",
    handle(call) {
      const user = userOf(call);
      const { token, expiresAt, fields } = call.state.tokens.create(user.fpId, tokenGrant(call.body.json()));
      return okJson({ token, expires_at: call.state.clock.text(expiresAt), fields });
    },
  },
  // docs/reference/service.md, "CIP report": each call makes a new report.
  {
    name: "create_cip_report",
    method: "POST",
    path: "/users/{fp_id}/integrations/brokerage/cip_report",
    body: "whole",
    handle(call) {
      const user = userOf(call);
      const body = new Fields(call.body.json(), ["default_approver"]);
      return okJson(call.state.cip.make(user.fpId, body.required("default_approver")));
    },
  },
];
