import { z } from "zod";
import { TOKEN_SCOPES, TOKEN_TTL } from "../../domain/service/client-token-grant.js";
import { identifiers, saidText } from "../schemas/body-fields.js";
import { noQuery, pathId } from "../schemas/parameters.js";
import { filledText } from "../schemas/texts.js";
import { defineOperation } from "./operation.js";

const body = z
  .strictObject(
    {
      scope: z.enum(TOKEN_SCOPES, "not a scope").describe(TOKEN_SCOPES.join(", ")),
      fields: identifiers("client_token").optional(),
      decrypt_reason: saidText.optional().describe("text: the reason of decryptions that give none"),
      ttl: z
        .int("not an integer")
        .min(TOKEN_TTL.min, "less than 60")
        .max(TOKEN_TTL.max, "more than 86400")
        .optional()
        .describe("an integer from 60 to 86400, seconds; 1800 when left out"),
    },
    "not an object",
  )
  .superRefine(({ scope, fields }, context) => {
    if (scope === "vault_card" && fields !== undefined) {
      context.addIssue({ code: "custom", path: ["fields"], message: "given with scope vault_card" });
    }
  });

/** POST /users/{fp_id}/client_token (docs/reference/service.md, "Client tokens"); the token is a secret. */
export const createClientToken = defineOperation({
  name: "create_client_token",
  part: "users and vault",
  summary: "Makes a short-lived token for writing or decrypting a user's data.",
  method: "POST",
  path: "/users/{fp_id}/client_token",
  params: { path: z.strictObject({ fp_id: pathId }), query: noQuery, body },
  response: z.looseObject(
    {
      token: filledText,
      expires_at: filledText,
      fields: z.array(z.string("not text"), "not a list").nullish(),
    },
    "not an object",
  ),
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "Sent again: the token whose answer was lost is known to nobody and expires by itself.",
  answer: "`{token, expires_at, fields?}`",
  secrets: ["token"],
});
