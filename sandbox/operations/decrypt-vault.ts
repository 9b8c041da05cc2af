import { okJson, refuse } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { tokenOf } from "../owner.js";
import { Fields, type VaultValue } from "../vault/fields.js";
import { checkIdentifiers } from "../vault/identifiers.js";
import { transformed, transformNames } from "../vault/transform.js";

/**
 * POST /users/vault/decrypt (docs/reference/service.md, "Vault decryption"). An identifier that the vault does not hold
 * is left out of the answer: values are string, integer, boolean or object, so never null.
 */
export const decryptVault: Operation = {
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
};
