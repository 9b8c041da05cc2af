import { z } from "zod";
import { flag, type JobKind, text } from "../kind.js";

/** `read` of the job judges the texts by the rules of the operation, together with the headers. */
export const proxyKind = {
  kind: "proxy",
  command: "proxy",
  description: "send requests of a file through a vault proxy, each at most once unless its row allows more",
  example: "nightledger proxy --config <id> --requests requests.csv",
  file: {
    name: "requests file",
    option: "--requests",
    rows: "requests",
    ignored: "without --body-template, a row that has no body is sent as a request without one",
    columns:
      "CSV or JSONL file: id, optionally fp_id, repeatable, path_and_query, method, body, and columns that the template names",
  },
  options: z.object({
    proxy: text.meta({ flag: "config", description: "<id> id of the proxy configuration" }),
    content_type: text.optional().describe("<type> media type of the bodies (default: application/json)"),
    method: text
      .optional()
      .describe(
        "<method> HTTP method at the target, unless the row has one: GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS (default: POST)",
      ),
    access_reason: text
      .optional()
      .describe(
        "<text> why data is decrypted for the target; the service records it, and it is kept with the run: include no personal data",
      ),
    keep_body: flag.optional().describe("keep the body of each response of at most 256 KiB, encrypted"),
    send_unknown: flag
      .optional()
      .describe(
        "send again requests of which an earlier run does not know what came; the target may act twice",
      ),
  }),
  inputs: z.object({
    body_template: text.optional().meta({
      ofRows: true,
      description: "<file> body of rows without their own, with {{column}} for a value of the row",
    }),
    header: z.array(text).optional().meta({
      path: "at",
      repeats: true,
      description:
        "<line> header of every proxy request, such as 'x-fp-proxy-fwd-x-tenant: 7', or @file with a line for each; may be repeated",
    }),
    client_cert: text.optional().describe("<file> client certificate (PEM) that the proxy shows its target"),
    client_key: text.optional().describe("<file> private key (PEM) of the client certificate"),
    pin_cert: text
      .optional()
      .describe("<file> certificates (PEM), one of which the proxy's target must show"),
  }),
  effect: true,
} as const satisfies JobKind;

/** What all requests of a proxy job have in common. */
export type ProxyOptions = z.output<typeof proxyKind.options>;

export type ProxyInputs = z.output<typeof proxyKind.inputs>;
