import { okJson } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { userOf } from "../owner.js";
import { Fields } from "../vault/fields.js";

/**
 * POST /users/{fp_id}/integrations/brokerage/cip_report (docs/reference/service.md, "CIP report"): each
 * call makes a new report.
 */
export const createCipReport: Operation = {
  name: "create_cip_report",
  method: "POST",
  path: "/users/{fp_id}/integrations/brokerage/cip_report",
  body: "whole",
  handle(call) {
    const user = userOf(call);
    const body = new Fields(call.body.json(), ["default_approver"]);
    return okJson(call.state.cip.make(user.fpId, body.required("default_approver")));
  },
};
