import { okJson } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { tokenOf } from "../owner.js";
import { checkIdentifiers } from "../vault/identifiers.js";

/**
 * POST /users/vault/{identifier}/upload (docs/reference/service.md, "Vault upload"): raw bytes; a body that is cut
 * short changes nothing.
 */
export const uploadToVault: Operation = {
  name: "upload_to_vault",
  method: "POST",
  path: "/users/vault/{identifier}/upload",
  auth: "client_token",
  body: "stream",
  async handle(call) {
    const token = tokenOf(call);
    const { tokens, vaults, service } = call.state;
    const identifier = call.params.identifier ?? "";
    checkIdentifiers("upload", [identifier]);
    tokens.demand(token, "vault", [identifier]);
    const bytes = await call.body.read(service.maxUploadBytes);
    vaults.upload(token.entity_id, identifier, bytes, call.body.contentType);
    return okJson({});
  },
};
