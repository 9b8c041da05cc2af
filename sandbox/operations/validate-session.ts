import { okJson } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { Fields } from "../vault/fields.js";

/** POST /onboarding/session/validate (docs/reference/service.md, "Session validation"). */
export const validateSession: Operation = {
  name: "validate_session",
  method: "POST",
  path: "/onboarding/session/validate",
  body: "whole",
  handle({ body, state: { sessions } }) {
    return okJson(
      sessions.validate(new Fields(body.json(), ["validation_token"]).required("validation_token")),
    );
  },
};
