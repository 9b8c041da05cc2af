import { z } from "zod";
import { saidText } from "../schemas/body-fields.js";
import { cipReportSchema } from "../schemas/cip-report.js";
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
    path: z.strictObject({ fp_id: pathId }),
    query: noQuery,
    body: z.strictObject(
      {
        default_approver: saidText.describe(
          "name or address of whoever stands for automatic approvals; a manual reviewer takes precedence",
        ),
      },
      "not an object",
    ),
  },
  response: cipReportSchema,
  auth: "secret_key",
  idempotent: false,
  lostAnswer:
    "Each request makes a report of its own, from what is there, and changes nothing else: it is asked for again, and what is kept of the answer says how often it was asked for.",
  answer: "the report; `clear` or `consider` for each check, and no other verdict",
  secrets: ["ip_address", "checked_data.date_of_birth", "checked_data.tax_id"],
  notShown: "The items of `watchlist.records`: anything passes.",
});
