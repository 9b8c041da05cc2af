import { nonBlankText } from "../schemas/body-fields.js";
import { strictObject } from "../schemas/fields.js";
import { sessionSchema } from "../schemas/onboarding.js";
import { noPath, noQuery } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/** POST /onboarding/session/validate (docs/reference/service.md, "Session validation"). */
export const validateSession = defineOperation({
  name: "validate_session",
  part: "onboarding",
  summary: "Identifies who finished a flow, by the token of the client SDK's callback.",
  method: "POST",
  path: "/onboarding/session/validate",
  params: {
    path: noPath,
    query: noQuery,
    body: strictObject({
      validation_token: nonBlankText.describe("the token of the SDK's callback; a secret"),
    }),
  },
  response: sessionSchema,
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "It changes nothing: sent again.",
  answer: "`{user?, business?, bank_link?, user_auth?}`",
  notShown:
    "Whether a token can be validated twice: if the second request is refused, that is a `RejectedError`.",
});
