import { z } from "zod";
import { saidText } from "../schemas/body-fields.js";
import { sessionSchema } from "../schemas/onboarding.js";
import { noPath, noQuery } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/** POST /onboarding/session/validate (docs/reference/service.md, "Session validation"). */
export const validateSession = defineOperation({
  name: "validate_session",
  part: "onboarding",
  summary: "Says who finished a flow, by the token of the client SDK's callback.",
  method: "POST",
  path: "/onboarding/session/validate",
  params: {
    path: noPath,
    query: noQuery,
    body: z.strictObject(
      { validation_token: saidText.describe("the token of the SDK's callback; a secret") },
      "not an object",
    ),
  },
  response: sessionSchema,
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "It changes nothing: asked again.",
  answer: "`{user?, business?, bank_link?, user_auth?}`",
  notShown: "Whether a token can be validated twice: a refusal of the second request is a `RejectedError`.",
});
