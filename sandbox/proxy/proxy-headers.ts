import { createPrivateKey, X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { refuse } from "../http/answer.js";
import { type IngressRule, parseIngressRule } from "./ingress-rule.js";

/** What the `x-fp-*` headers of a call ask for (docs/reference/service.md, "Proxy headers"). */
export interface ProxyDirections {
  readonly fpId: string | undefined;
  readonly pathAndQuery: string;
  readonly reason: string | undefined;
  readonly method: string;
  readonly forwarded: Readonly<Record<string, string>>;
  readonly ingressContentType: string | undefined;
  readonly ingress: readonly IngressRule[];
  /** PEM. */
  readonly clientCert: string | undefined;
  readonly clientKey: string | undefined;
  readonly pins: readonly string[];
}

const FORWARD = "x-fp-proxy-fwd-";
const KNOWN = new Set([
  "x-fp-id",
  "x-fp-path-and-query",
  "x-fp-proxy-access-reason",
  "x-fp-proxy-client-cert",
  "x-fp-proxy-client-key",
  "x-fp-proxy-ingress-content-type",
  "x-fp-proxy-ingress-rule",
  "x-fp-proxy-method",
  "x-fp-proxy-pin-cert",
]);
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/** Headers of the connection itself: they are the proxy's own to set. */
const OF_THE_CONNECTION = [
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "upgrade",
  "te",
  "trailer",
];
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Reads the headers of a call. @throws Refusal 400 naming the header, never its value. */
export function proxyDirections(headers: IncomingHttpHeaders, stored: readonly string[]): ProxyDirections {
  for (const name of Object.keys(headers)) {
    if (name.startsWith("x-fp-") && !name.startsWith(FORWARD) && !KNOWN.has(name))
      refuse(`header ${name}: unknown`);
  }
  const fpId = headerText(headers, "x-fp-id");
  const clientCert = pem(headers, "x-fp-proxy-client-cert", /-----BEGIN CERTIFICATE-----/);
  const clientKey = pem(headers, "x-fp-proxy-client-key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/);
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    refuse("x-fp-proxy-client-cert and x-fp-proxy-client-key need each other");
  }
  if (clientCert !== undefined && clientKey !== undefined) checkPair(clientCert, clientKey);
  const method = (headerText(headers, "x-fp-proxy-method") ?? "POST").toUpperCase();
  if (!METHODS.includes(method)) refuse(`header x-fp-proxy-method: accepted are ${METHODS.join(", ")}`);
  const pathAndQuery = headerText(headers, "x-fp-path-and-query") ?? "";
  if (!/^([/?]|$)/.test(pathAndQuery)) refuse("header x-fp-path-and-query: begins with / or ?");
  const rules = [...rulesIn(headerText(headers, "x-fp-proxy-ingress-rule")), ...stored];
  return {
    fpId,
    pathAndQuery,
    reason: headerText(headers, "x-fp-proxy-access-reason"),
    method,
    forwarded: forwardedHeaders(headers),
    ingressContentType: headerText(headers, "x-fp-proxy-ingress-content-type"),
    ingress: rules.map(
      (rule) => parseIngressRule(rule, fpId) ?? refuse("header x-fp-proxy-ingress-rule: of the wrong form"),
    ),
    clientCert,
    clientKey,
    pins: pinnedCertificates(headers),
  };
}

function checkPair(cert: string, key: string): void {
  let fits = false;
  try {
    fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    // One of them can't be read: they make no pair either.
  }
  if (!fits) refuse("x-fp-proxy-client-cert and x-fp-proxy-client-key are not a pair");
}

/** A header sent more than once has come joined by commas. */
function headerText(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  const text = Array.isArray(value) ? value.join(", ") : value;
  if (text === "") refuse(`header ${name}: empty`);
  return text;
}

function rulesIn(text: string | undefined): string[] {
  return text?.split(/,\s*(?=[^=,$]+=\$)/) ?? [];
}

function forwardedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(FORWARD)) continue;
    const bare = name.slice(FORWARD.length);
    if (bare === "" || OF_THE_CONNECTION.includes(bare)) refuse(`header ${name}: can't be forwarded`);
    forwarded[bare] = String(value);
  }
  return forwarded;
}

function pem(headers: IncomingHttpHeaders, name: string, form: RegExp): string | undefined {
  const value = headerText(headers, name);
  if (value === undefined) return undefined;
  const text = /^[A-Za-z0-9+/]+={0,2}$/.test(value) ? Buffer.from(value, "base64").toString() : "";
  if (!form.test(text)) refuse(`header ${name}: not base64 of PEM`);
  return text;
}

/** One header may hold several certificates, in one PEM or several, joined by commas. */
function pinnedCertificates(headers: IncomingHttpHeaders): string[] {
  const name = "x-fp-proxy-pin-cert";
  const parts = headerText(headers, name)?.split(/,\s*/) ?? [];
  return parts.flatMap((part) => {
    const found = pem({ [name]: part }, name, /-----BEGIN CERTIFICATE-----/)?.match(CERTIFICATE) ?? [];
    try {
      for (const certificate of found) new X509Certificate(certificate);
    } catch {
      refuse(`header ${name}: a certificate that can't be read`);
    }
    return found;
  });
}
