import { okJson } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { userOf } from "../owner.js";
import { tokenGrant } from "../vault/client-token.js";

/** POST /users/{fp_id}/client_token (docs/reference/service.md, "Client tokens"). */
export const createClientToken: Operation = {
  name: "create_client_token",
  method: "POST",
  path: "/users/{fp_id}/client_token",
  body: "whole",
  handle(call) {
    const user = userOf(call);
    const { token, expiresAt, fields } = call.state.tokens.create(user.fpId, tokenGrant(call.body.json()));
    return okJson({
      token,
      expires_at: call.state.clock.text(expiresAt),
      ...(fields === undefined ? {} : { fields }),
    });
  },
};
