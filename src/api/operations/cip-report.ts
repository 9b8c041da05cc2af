import { nonBlankText } from "../schemas/body-fields.js";
import { cipReportSchema } from "../schemas/cip-report.js";
import { strictObject } from "../schemas/fields.js";
import { noQuery, pathId } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/** POST /users/{fp_id}/integrations/brokerage/cip_report (docs/reference/service.md, "CIP report"). */
export const createCipReport = defineOperation({
  name: "create_cip_report",
  part: "users and vault",
  summary: "Builds the customer-identification report of a user for a brokerage.",
  method: "POST",
  path: "/users/{fp_id}/integrations/brokerage/cip_report",
  params: {
    path: strictObject({ fp_id: pathId }),
    query: noQuery,
    body: strictObject({
      default_approver: nonBlankText.describe(
        "name or address of the person responsible for automatic approvals; a manual reviewer takes precedence",
      ),
    }),
  },
  response: cipReportSchema,
  auth: "secret_key",
  idempotent: false,
  lostAnswer:
    "Sent again: each request builds its own report and changes nothing else. The kept answer says how often the report was requested.",
  answer: "the report; `clear` or `consider` for each check, and no other verdict",
  secrets: ["ip_address", "checked_data.date_of_birth", "checked_data.tax_id"],
  notShown: "The items of `watchlist.records`: anything passes.",
});
