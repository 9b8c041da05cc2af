import { z } from "zod";
import { bytes } from "../schemas/byte-source.js";
import { strictObject } from "../schemas/fields.js";
import {
  forwardedHeaders,
  headerText,
  ingressRules,
  mediaType,
  pathAndQuery,
  pem,
  targetMethod,
} from "../schemas/header-fields.js";
import { ids } from "../schemas/parameters.js";
import { defineOperation } from "./operation.js";

const headers = strictObject({
  fp_id: headerText.optional().describe("the one user whose data is used; tokens may then omit the fp_id"),
  path_and_query: pathAndQuery.optional(),
  access_reason: headerText
    .optional()
    .describe("why data is decrypted for the target; printable ASCII text without spaces around it"),
  client_cert: pem("CERTIFICATE").optional(),
  client_key: pem("PRIVATE KEY").optional(),
  forward: forwardedHeaders.optional(),
  ingress_content_type: mediaType.optional(),
  ingress_rules: ingressRules.optional(),
  method: targetMethod.optional(),
  pin_cert: pem("CERTIFICATE").optional().describe("base64 of one or more PEM certificates"),
  content_type: mediaType.optional(),
});

/**
 * docs/reference/service.md, "Vault proxy": bytes there and back; statuses
 * may be the target's.
 */
export const callVaultProxy = defineOperation({
  name: "call_vault_proxy",
  part: "proxy and webhooks",
  summary: "Sends a request to a configured target, with vault data in place of the request's tokens.",
  method: "POST",
  path: "/vault_proxy/{id}",
  params: { ...ids("id"), headers, body: bytes.optional() },
  headerNames: {
    fp_id: "x-fp-id",
    path_and_query: "x-fp-path-and-query",
    access_reason: "x-fp-proxy-access-reason",
    client_cert: "x-fp-proxy-client-cert",
    client_key: "x-fp-proxy-client-key",
    forward: "x-fp-proxy-fwd-*",
    ingress_content_type: "x-fp-proxy-ingress-content-type",
    ingress_rules: "x-fp-proxy-ingress-rule",
    method: "x-fp-proxy-method",
    pin_cert: "x-fp-proxy-pin-cert",
    content_type: "content-type",
  },
  // Some services pass only forwarded headers on.
  alsoAs: { content_type: "x-fp-proxy-fwd-content-type" },
  relays: true,
  check: ({ headers: { client_cert: cert, client_key: key } }) => {
    if ((cert === undefined) === (key === undefined)) return undefined;
    const [missing, other] =
      cert === undefined ? ["client_cert", "client_key"] : ["client_key", "client_cert"];
    return {
      field: `header option ${missing}`,
      problem: `missing, and ${other} is given`,
      accepted: "certificate and key, or neither",
    };
  },
  sends: "bytes",
  response: z.custom<Buffer>((value) => value instanceof Uint8Array, "not bytes"),
  answers: "bytes",
  auth: "secret_key",
  idempotent: false,
  lostAnswer:
    "Never sent again: only the target knows whether it acted. If the target takes an idempotency key, forward one and send the request again with the same key.",
  answer: "the target's answer: its bytes, headers and content type",
  notShown:
    "The shape of a request: bytes of any content type, streamed. Whether a status is the target's or the service's own: a status over 299 is an error, unless the caller accepts any status. A header that ends in `-proxy-upstream-status-code` has the target's; without it, 400 and 502 may come after the target acted. Whether the content type reaches the target: it is forwarded too. How to give several pinned certificates: one after the other inside the base64.",
});
