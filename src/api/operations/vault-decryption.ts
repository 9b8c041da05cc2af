import { z } from "zod";
import { identifiers, nonBlankText, transforms } from "../schemas/body-fields.js";
import { strictObject } from "../schemas/fields.js";
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
  summary: "Decrypts data of the client token's user.",
  method: "POST",
  path: "/users/vault/decrypt",
  params: {
    path: noPath,
    query: noQuery,
    body: strictObject({
      fields: identifiers("decrypt").optional(),
      reason: nonBlankText.optional().describe("text, logged by the service; required here or in the token"),
      transforms: transforms.optional(),
    }),
  },
  response: z.record(z.string(), value, "not an object"),
  tokenUse: (request) => {
    const { fields = [], reason } = request.body as { fields?: string[]; reason?: string };
    return { use: "decrypt", fields, reason: reason !== undefined };
  },
  auth: "client_token",
  idempotent: true,
  lostAnswer: "Sent again: nothing changes but the service's access log, which gets a second entry.",
  answer: "an object from data identifier to value: text, integer, boolean or object",
  secrets: ["*"],
  notShown:
    "What represents data that the vault doesn't hold: a missing key or null. What is decrypted without `fields`: the service decides. How to write a quote inside a transform's argument: with a backslash before it.",
});
