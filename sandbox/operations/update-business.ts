import { businessRecord, checkExternalId } from "../businesses/business-store.js";
import { okJson } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { businessOf } from "../owner.js";
import { Fields } from "../vault/fields.js";

/** PATCH /businesses/{fp_bid} (docs/reference/service.md, "Business update"). */
export const updateBusiness: Operation = {
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
    return okJson(businessRecord(business));
  },
};
