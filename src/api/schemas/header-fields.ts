import { z } from "zod";
import { INGRESS_RULE_FORM, ingressRuleProblem } from "../../domain/service/ingress-rule.js";
import { ruled } from "./body-fields.js";
import { anyText, listOf } from "./fields.js";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** RFC 9110, 5.5. */
export const headerText = ruled(anyText, headerProblem).describe(
  "printable ASCII text without spaces around it",
);

/** Why a text can't be a header's value, without quoting it. */
export function headerProblem(text: string): string | undefined {
  if (text === "") return "empty";
  if (!/^[\x20-\x7e]+$/.test(text)) return "with a character that is not printable ASCII";
  return text === text.trim() ? undefined : "with spaces around it";
}

/** For the target of a proxy: the client adds the prefix, the service removes it. */
export const forwardedHeaders = z
  .record(z.string(), headerText, "not an object")
  .superRefine((headers, context) => {
    const names = new Set<string>();
    for (const name of Object.keys(headers)) {
      if (!TOKEN.test(name)) context.addIssue({ code: "custom", path: [name], message: "not a header name" });
      // Header names are case-insensitive.
      if (names.has(name.toLowerCase()))
        context.addIssue({ code: "custom", path: [name], message: "given twice" });
      names.add(name.toLowerCase());
    }
  })
  .describe("an object from header names to printable ASCII text");

const ingressRule = ruled(headerText, ingressRuleProblem).describe(INGRESS_RULE_FORM);

export const ingressRules = listOf(ingressRule).nonempty("empty").describe(`a list of ${INGRESS_RULE_FORM}`);

const PEM = /^(?:-----BEGIN ([A-Z0-9 ]+)-----[A-Za-z0-9+/=\s]+-----END \1-----\s*)+$/;

/** Whole PEM text in base64. */
export function pem(kind: "CERTIFICATE" | "PRIVATE KEY") {
  const problem = (text: string): string | undefined => {
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return "not base64";
    const [, label] = PEM.exec(Buffer.from(text, "base64").toString("latin1")) ?? [];
    return label?.endsWith(kind) ? undefined : `not a PEM ${kind.toLowerCase()} inside the base64`;
  };
  return ruled(anyText, problem).describe(`base64 of a PEM ${kind.toLowerCase()}`);
}

export const targetMethod = z
  .enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"], "not an HTTP method in capitals")
  .describe("GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS; the service takes POST when left out");

export const pathAndQuery = ruled(anyText, (text) => {
  if (!/^[\x21-\x7e]+$/.test(text)) return "empty, with a space or a character that is not ASCII";
  if (!/^[/?]/.test(text)) return "not beginning with / or ?";
  return text.includes("#") ? "with a fragment" : undefined;
}).describe("a path and query such as /v1/cards?expand=true, other characters percent-encoded");

export const mediaType = ruled(anyText, (text) => {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/.test(text)
    ? headerProblem(text)
    : "not a media type";
}).describe("a media type such as image/png");
