import { acceptedIdentifiers, identifierProblem } from "../../domain/service/vault/vault-identifier.js";
import { identifiers, nonBlankText, ruled, transforms, vaultMap } from "../schemas/body-fields.js";
import { bytes } from "../schemas/byte-source.js";
import { anyText, looseObject, strictObject } from "../schemas/fields.js";
import { mediaType } from "../schemas/header-fields.js";
import { emptyAnswer, ids, segmentProblem } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

/** docs/reference/service.md, "Vault decryption", with a client token. */
export const decryptVault = defineOperation({
  name: "decrypt_vault",
  part: "users and vault",
  summary: "Decrypts data of the client token's user.",
  method: "POST",
  path: "/users/vault/decrypt",
  params: {
    ...ids(),
    body: strictObject({
      fields: identifiers("decrypt").optional(),
      reason: nonBlankText.optional().describe("text, logged by the service; required here or in the token"),
      transforms: transforms.optional(),
    }),
  },
  response: looseObject({}),
  names: [{ field: "*", parameter: "body.fields" }],
  tokenUse: (request) => {
    const { fields = [], reason } = request.body as { fields?: string[]; reason?: string };
    return { use: "decrypt", fields, reason: reason !== undefined };
  },
  auth: "client_token",
  idempotent: true,
  lostAnswer: "Sent again: nothing changes but the service's access log, which gets a second entry.",
  answer:
    "an object from data identifier to value: text, integer, boolean or object; any other JSON passes too",
  secrets: ["*"],
  notShown:
    "What represents data that the vault doesn't hold: a missing key or null. What is decrypted without `fields`: the service decides. How to write a quote inside a transform's argument: with a backslash before it.",
});

/** docs/reference/service.md, "Vault update", with a client token. */
export const updateVault = defineOperation({
  name: "update_vault",
  part: "users and vault",
  summary: "Writes data of the client token's user.",
  method: "PATCH",
  path: "/users/vault",
  params: { ...ids(), body: vaultMap("update") },
  response: emptyAnswer,
  answers: "nothing",
  tokenUse: (request) => ({
    use: "vault",
    fields: Object.keys(request.body as Record<string, unknown>),
    reason: false,
  }),
  auth: "client_token",
  idempotent: true,
  changes: true,
  lostAnswer: "Sent again: it writes the same values once more.",
  answer: "`{}`",
});

/**
 * docs/reference/service.md, "Vault upload", with a client token;
 * the body is streamed.
 */
export const uploadToVault = defineOperation({
  name: "upload_to_vault",
  part: "users and vault",
  summary: "Uploads bytes as one piece of data of the client token's user.",
  method: "POST",
  path: "/users/vault/{identifier}/upload",
  params: {
    ...ids(),
    path: strictObject({
      identifier: ruled(
        anyText,
        (text) => identifierProblem("upload", text)?.rule ?? segmentProblem(text),
      ).describe(`one of ${acceptedIdentifiers("upload")}; a name without slashes`),
    }),
    headers: strictObject({ content_type: mediaType.optional() }),
    body: bytes,
  },
  headerNames: { content_type: "content-type" },
  sends: "bytes",
  response: emptyAnswer,
  answers: "nothing",
  tokenUse: (request) => ({ use: "vault", fields: [String(request.path.identifier)], reason: false }),
  auth: "client_token",
  idempotent: true,
  changes: true,
  lostAnswer: "Sent again: it stores the same bytes once more.",
  answer: "`{}`",
  notShown:
    "The maximum size: none is assumed; a refusal during the upload ends it with that status. Whether documents can be uploaded: the document's table leaves them out; they are sent, and the service decides.",
});
