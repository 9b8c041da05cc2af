import { vaultMap } from "../schemas/body-fields.js";
import { emptyAnswer, noPath, noQuery } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/** PATCH /users/vault (docs/reference/service.md, "Vault update"), with a client token. */
export const updateVault = defineOperation({
  name: "update_vault",
  part: "users and vault",
  summary: "Writes data of the client token's user.",
  method: "PATCH",
  path: "/users/vault",
  params: { path: noPath, query: noQuery, body: vaultMap("update") },
  response: emptyAnswer,
  tokenUse: (request) => ({
    use: "vault",
    fields: Object.keys(request.body as Record<string, unknown>),
    reason: false,
  }),
  auth: "client_token",
  idempotent: true,
  changes: true,
  lostAnswer: "Sent again: it writes the same values once more.",
  answer: "`{}`",
});
