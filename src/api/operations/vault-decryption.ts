import { z } from "zod";
import { identifiers, saidText, transforms } from "../schemas/body-fields.js";
import { noPath, noQuery } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

const value = z.union(
  [z.string(), z.int(), z.boolean(), z.record(z.string(), z.unknown()), z.null()],
  "not text, an integer, true or false, or an object",
);

/** POST /users/vault/decrypt (docs/reference/service.md, "Vault decryption"), with a client token. */
export const decryptVault = defineOperation({
  name: "decrypt_vault",
  part: "users and vault",
  summary: "Decrypts data of the user that a client token was made for.",
  method: "POST",
  path: "/users/vault/decrypt",
  params: {
    path: noPath,
    query: noQuery,
    body: z.strictObject(
      {
        fields: identifiers("decrypt").optional(),
        reason: saidText.optional().describe("text, logged by the service; needed here or in the token"),
        transforms: transforms.optional(),
      },
      "not an object",
    ),
  },
  response: z.record(z.string(), value, "not an object"),
  tokenUse: (request) => {
    const { fields = [], reason } = request.body as { fields?: string[]; reason?: string };
    return { use: "decrypt", fields, reason: reason !== undefined };
  },
  auth: "client_token",
  idempotent: true,
  lostAnswer: "Nothing changes but the service's access log, which then has a second entry: asked again.",
  answer: "an object from data identifier to value: text, integer, boolean or object",
  secrets: ["*"],
  notShown:
    "What stands for data that the vault doesn't hold: a missing key or null. What is decrypted without `fields`: the service decides. How a quote inside a transform's argument is written: with a backslash before it.",
});
