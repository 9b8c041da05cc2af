import { acceptedIdentifiers, identifierProblem } from "../../domain/service/vault-identifier.js";
import { ruled } from "../schemas/body-fields.js";
import { bytes } from "../schemas/byte-source.js";
import { anyText, strictObject } from "../schemas/fields.js";
import { mediaType } from "../schemas/header-fields.js";
import { emptyAnswer, noQuery } from "../schemas/parameters.js";
import { segmentProblem } from "../schemas/url-path.js";
import { defineOperation } from "./operation.js";

/**
 * POST /users/vault/{identifier}/upload (docs/reference/service.md, "Vault upload"), with a client token;
 * the body is streamed.
 */
export const uploadToVault = defineOperation({
  name: "upload_to_vault",
  part: "users and vault",
  summary: "Uploads bytes as one piece of data of the client token's user.",
  method: "POST",
  path: "/users/vault/{identifier}/upload",
  params: {
    path: strictObject({
      identifier: ruled(
        anyText,
        (text) => identifierProblem("upload", text)?.rule ?? segmentProblem(text),
      ).describe(`one of ${acceptedIdentifiers("upload")}; a name without slashes`),
    }),
    query: noQuery,
    headers: strictObject({ content_type: mediaType.optional() }),
    body: bytes,
  },
  headerNames: { content_type: "content-type" },
  sends: "bytes",
  response: emptyAnswer,
  tokenUse: (request) => ({ use: "vault", fields: [String(request.path.identifier)], reason: false }),
  auth: "client_token",
  idempotent: true,
  changes: true,
  lostAnswer: "Sent again: it stores the same bytes once more.",
  answer: "`{}`",
  notShown:
    "The maximum size: none is assumed; a refusal during the upload ends it with that status. Whether documents can be uploaded: the document's table leaves them out, so they are refused.",
});
