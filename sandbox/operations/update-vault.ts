import { okJson, refuse } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { tokenOf } from "../owner.js";
import { isObject, isVaultValue, type VaultValue } from "../vault/fields.js";
import { checkIdentifiers } from "../vault/identifiers.js";

/** PATCH /users/vault (docs/reference/service.md, "Vault update"): all keys are written, or none. */
export const updateVault: Operation = {
  name: "update_vault",
  method: "PATCH",
  path: "/users/vault",
  auth: "client_token",
  body: "whole",
  handle(call) {
    const token = tokenOf(call);
    const values = call.body.json();
    if (!isObject(values)) refuse("body: not an object");
    const identifiers = Object.keys(values);
    checkIdentifiers("update", identifiers);
    const wrong = identifiers.find((identifier) => !isVaultValue(values[identifier]));
    if (wrong !== undefined) refuse(`body: field "${wrong}": not a string, integer, boolean or object`);
    call.state.tokens.demand(token, "vault", identifiers);
    call.state.vaults.write(token.entity_id, values as Record<string, VaultValue>);
    return okJson({});
  },
};
