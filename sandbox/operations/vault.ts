import { okJson, refuse } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { tokenOf } from "../owner.js";
import { Fields, type VaultValue } from "../vault/fields.js";
import { checkIdentifiers, checkUploadOfFew, vaultValues } from "../vault/identifiers.js";
import { transformed, transformNames } from "../vault/transform.js";

export const VAULT_OPERATIONS: readonly Operation[] = [
  // docs/reference/service.md, "Vault decryption". An identifier that the vault does not hold is left out of the answer:
  // values are string, integer, boolean or object, so never null.
  {
    name: "decrypt_vault",
    method: "POST",
    path: "/users/vault/decrypt",
    auth: "client_token",
    body: "whole",
    handle(call) {
      const token = tokenOf(call);
      const { vaults, tokens } = call.state;
      const body = new Fields(call.body.json() ?? {}, ["fields", "reason", "transforms"]);
      const fields = body.texts("fields") ?? [];
      const transforms = body.list("transforms") ?? [];
      const reason = body.text("reason") ?? token.decrypt_reason;
      checkIdentifiers("decrypt", fields);
      const names = transformNames(transforms);
      if (reason === undefined) refuse("a decryption needs a reason, here or in the client token");
      tokens.demand(token, "decrypt", fields);
      if (token.scope === "decrypt_download" && fields.length > 1) {
        refuse("a client token of scope decrypt_download decrypts a single piece of data");
      }
      const values: Record<string, VaultValue> = {};
      for (const field of fields) {
        const value = vaults.value(token.entity_id, field);
        if (value !== undefined) values[field] = transformed(value, transforms);
      }
      vaults.note({ entity_id: token.entity_id, fields, reason, transforms: names, by: "client_token" });
      return okJson(values);
    },
  },
  // docs/reference/service.md, "Vault update": all keys are written, or none.
  {
    name: "update_vault",
    method: "PATCH",
    path: "/users/vault",
    auth: "client_token",
    body: "whole",
    handle(call) {
      const token = tokenOf(call);
      const values = vaultValues("update", call.body.json(), call.state.service.behaves.has("vault-forms"));
      call.state.tokens.demand(token, "vault", Object.keys(values));
      call.state.vaults.write(token.entity_id, values);
      return okJson({});
    },
  },
  // docs/reference/service.md, "Vault upload": raw bytes; what breaks off half-way changes nothing.
  {
    name: "upload_to_vault",
    method: "POST",
    path: "/users/vault/{identifier}/upload",
    auth: "client_token",
    body: "stream",
    async handle(call) {
      const token = tokenOf(call);
      const { tokens, vaults, service } = call.state;
      const identifier = call.params.identifier ?? "";
      if (service.behaves.has("vault-forms")) checkUploadOfFew(identifier);
      else checkIdentifiers("upload", [identifier]);
      tokens.demand(token, "vault", [identifier]);
      const bytes = await call.body.read(service.maxUploadBytes);
      vaults.upload(token.entity_id, identifier, bytes, call.body.contentType);
      return okJson({});
    },
  },
];
