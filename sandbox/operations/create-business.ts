import { businessRecord, checkExternalId } from "../businesses/business-store.js";
import { okJson, refuse } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { isObject, isVaultValue, type VaultValue } from "../vault/fields.js";
import { checkIdentifiers } from "../vault/identifiers.js";

/** POST /businesses (docs/reference/service.md, "Business creation"). */
export const createBusiness: Operation = {
  name: "create_business",
  method: "POST",
  path: "/businesses",
  body: "whole",
  handle({ headers, body, state: { businesses } }) {
    const externalId = header(headers["x-external-id"], "x-external-id");
    const sandboxId = header(headers["x-sandbox-id"], "x-sandbox-id");
    const values = body.json() ?? {};
    if (!isObject(values)) refuse("body: not an object");
    const identifiers = Object.keys(values);
    checkIdentifiers("create_business", identifiers);
    const wrong = identifiers.find((identifier) => !isVaultValue(values[identifier]));
    if (wrong !== undefined) refuse(`body: field "${wrong}": not a string, integer, boolean or object`);
    if (externalId !== undefined) {
      if (identifiers.length > 0) refuse("with x-external-id no initial data may be in the body");
      checkExternalId(externalId);
      businesses.demandFree(externalId);
    }
    const id = businesses.add({
      ...(externalId === undefined ? {} : { external_id: externalId }),
      ...(sandboxId === undefined ? {} : { sandbox_id: sandboxId }),
      values: values as Record<string, VaultValue>,
    });
    return okJson(businessRecord(businesses.find(id)!));
  },
};

function header(value: string | string[] | undefined, name: string): string | undefined {
  if (value === "" || Array.isArray(value)) refuse(`header ${name}: one value is needed`);
  return value;
}
