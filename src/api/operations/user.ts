import { z } from "zod";
import { TOKEN_SCOPES, TOKEN_TTL } from "../../domain/service/client-token-grant.js";
import { identifiers, nonBlankText } from "../schemas/body-fields.js";
import { cipReportSchema } from "../schemas/cip-report.js";
import { anyText, filledText, integer, listOf, looseObject, strictObject } from "../schemas/fields.js";
import { ids } from "../schemas/parameters.js";
import { defineOperation, defineRead } from "./operation.js";

/** docs/reference/service.md, "User lookup": the contract shows no shape, so any object passes. */
export const getUser = defineRead({
  name: "get_user",
  part: "users and vault",
  summary: "Reads the record of a user.",
  path: "/users/{fp_id}",
  params: ids("fp_id"),
  response: looseObject({}),
  answer: "any object",
  notShown: "The shape of the record: any JSON object passes, and nothing relies on its contents.",
});

const body = strictObject({
  scope: z.enum(TOKEN_SCOPES, "not a scope").describe(TOKEN_SCOPES.join(", ")),
  fields: identifiers("client_token").optional(),
  decrypt_reason: nonBlankText.optional().describe("text: the reason for decryptions that give none"),
  ttl: integer
    .min(TOKEN_TTL.min, "less than 60")
    .max(TOKEN_TTL.max, "more than 86400")
    .optional()
    .describe("an integer from 60 to 86400, seconds; 1800 when left out"),
}).superRefine(({ scope, fields }, context) => {
  if (scope === "vault_card" && fields !== undefined) {
    context.addIssue({ code: "custom", path: ["fields"], message: "given with scope vault_card" });
  }
});

/** docs/reference/service.md, "Client tokens"; the token is a secret. */
export const createClientToken = defineOperation({
  name: "create_client_token",
  part: "users and vault",
  summary: "Makes a short-lived token for writing or decrypting a user's data.",
  method: "POST",
  path: "/users/{fp_id}/client_token",
  params: { ...ids("fp_id"), body },
  response: looseObject({
    token: filledText,
    expires_at: filledText,
    fields: listOf(anyText).nullish(),
  }),
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "Sent again: nobody knows the token whose answer was lost, and it expires by itself.",
  answer: "`{token, expires_at, fields?}`",
  secrets: ["token"],
});

/** docs/reference/service.md, "CIP report". */
export const createCipReport = defineOperation({
  name: "create_cip_report",
  part: "users and vault",
  summary: "Builds the customer-identification report of a user for a brokerage.",
  method: "POST",
  path: "/users/{fp_id}/integrations/brokerage/cip_report",
  inWords: ({ cipSegment }, body) => ({
    path: `/users/{fp_id}/integrations/${cipSegment}/cip_report`,
    body,
  }),
  params: {
    ...ids("fp_id"),
    body: strictObject({
      default_approver: nonBlankText.describe(
        "name or address of the person responsible for automatic approvals; a manual reviewer takes precedence",
      ),
    }),
  },
  response: cipReportSchema,
  exactNumbers: "by value",
  auth: "secret_key",
  idempotent: false,
  lostAnswer:
    "Sent again: each request builds its own report and changes nothing else. The kept answer says how often the report was requested.",
  answer: "the report; `clear` or `consider` for each check, and no other verdict",
  secrets: ["ip_address", "checked_data.date_of_birth", "checked_data.tax_id"],
  notShown: "The items of `watchlist.records`: anything passes.",
});
