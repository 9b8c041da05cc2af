import { checkExternalId } from "../businesses/business-store.js";
import { notFound, okJson, refuse } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { businessOf } from "../owner.js";
import { Fields } from "../vault/fields.js";
import { vaultValues } from "../vault/identifiers.js";

export const BUSINESS_OPERATIONS: readonly Operation[] = [
  // docs/reference/service.md, "Business creation"
  {
    name: "create_business",
    method: "POST",
    path: "/businesses",
    body: "whole",
    handle({ headers, body, state: { businesses, service } }) {
      const external_id = header(headers["x-external-id"], "x-external-id");
      const sandbox_id = header(headers["x-sandbox-id"], "x-sandbox-id");
      const values = vaultValues("create_business", body.json() ?? {});
      if (external_id !== undefined) {
        if (Object.keys(values).length > 0) refuse("with x-external-id no initial data may be in the body");
        checkExternalId(external_id);
        const existing = businesses.named(external_id);
        if (existing && service.behaves.has("existing-business")) return okJson(existing);
        businesses.demandFree(external_id);
      }
      return okJson(businesses.find(businesses.add({ external_id, sandbox_id, values })));
    },
  },
  // docs/reference/service.md, "Business update"
  {
    name: "update_business",
    method: "PATCH",
    path: "/businesses/{fp_bid}",
    body: "whole",
    handle(call) {
      const business = businessOf(call);
      const externalId = new Fields(call.body.json() ?? {}, ["external_id"]).text("external_id");
      if (externalId !== undefined) {
        checkExternalId(externalId);
        call.state.businesses.rename(business, externalId);
      }
      return okJson(business);
    },
  },
  // docs/reference/service.md, "Business insights": there once the run has ended.
  {
    name: "get_business_insights",
    method: "GET",
    path: "/businesses/{fp_bid}/onboardings/{onboarding_id}/details",
    handle(call) {
      const business = businessOf(call);
      const { onboardings, businesses } = call.state;
      const onboarding = onboardings.find(call.params.onboarding_id ?? "");
      if (onboarding?.entity_id !== business.id || onboarding.running) {
        notFound("no insights of such an onboarding");
      }
      return okJson(businesses.insights(business, onboarding.id));
    },
  },
];

function header(value: string | string[] | undefined, name: string): string | undefined {
  if (value === "" || Array.isArray(value)) refuse(`header ${name}: one value is needed`);
  return value;
}
