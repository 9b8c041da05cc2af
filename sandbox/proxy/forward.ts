import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { SandboxState } from "../assemble.js";
import { type Answer, Refusal, refuse } from "../http/answer.js";
import { isVaultValue, type VaultValue } from "../vault/fields.js";
import { egress } from "./egress.js";
import { valueAt } from "./ingress-rule.js";
import { type Escaping, Placeholders } from "./placeholder.js";
import { type ProxyDirections, proxyDirections } from "./proxy-headers.js";
import type { ProxyConfiguration } from "./proxy-store.js";

/**
 * Forwards a request through a proxy (docs/reference/service.md, "Proxy headers"): placeholders in body, path and
 * forwarded headers replaced, the target's answer as it is. Values that ingress rules name are stored;
 * the answer keeps them.
 * @throws Refusal 400 for headers or placeholders that can't be used, then nothing was sent; 502, 504
 */
export async function forward(
  state: SandboxState,
  proxy: ProxyConfiguration,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<Answer> {
  const directions = proxyDirections(headers, proxy.ingress);
  const { fpId, method } = directions;
  if (fpId !== undefined) demandVault(state, fpId);
  for (const rule of directions.ingress) demandVault(state, rule.fpId);
  const placeholders = new Placeholders((owner, identifier) => state.vaults.value(owner, identifier), fpId);
  const contentType = headers["content-type"];
  const url = targetUrl(proxy.target, placeholders.text(directions.pathAndQuery, "form"));
  const sent = placeholders.bytes(body, escapingOf(contentType));
  const egressHeaders = headersOf(proxy, directions, placeholders, contentType);
  note(state, directions, placeholders);
  const record = {
    proxy: proxy.id,
    method,
    path: proxy.target.pathname,
    fp_id: fpId,
    placeholders: [...placeholders.used].flatMap(([owner, names]) =>
      [...names].map((name) => `${owner}.${name}`),
    ),
    forwarded_headers: Object.keys(directions.forwarded),
  };
  try {
    const { timeoutMs } = proxy;
    const answer = await egress({ ...directions, url, headers: egressHeaders, body: sent, timeoutMs });
    const stored = store(state, directions, answer);
    state.proxies.note({ ...record, stored, result: answer.status });
    return answer;
  } catch (error) {
    state.proxies.note({ ...record, stored: [], result: error instanceof Refusal ? error.code : "error" });
    throw error;
  }
}

function demandVault({ world, businesses }: SandboxState, id: string): void {
  if (!world.users.has(id) && !businesses.has(id)) {
    refuse("no such user or business, in x-fp-id or an ingress rule");
  }
}

function targetUrl(target: URL, pathAndQuery: string): URL {
  const base = target.href.replace(/\/$/, "");
  const url = new URL(`${base}${pathAndQuery}`);
  // "@" or a port in what is appended must not lead to another machine.
  if (url.host !== target.host) refuse("x-fp-path-and-query leaves the target");
  return url;
}

function escapingOf(contentType = ""): Escaping {
  if (/[/+]json(;|$)/i.test(contentType)) return "json";
  return /x-www-form-urlencoded/i.test(contentType) ? "form" : "none";
}

function headersOf(
  { headers }: ProxyConfiguration,
  { forwarded }: ProxyDirections,
  placeholders: Placeholders,
  contentType: string | undefined,
): OutgoingHttpHeaders {
  const replaced = Object.entries(forwarded).map(([name, value]) => [name, placeholders.text(value, "none")]);
  return {
    ...(contentType === undefined ? {} : { "content-type": contentType }),
    ...headers,
    ...Object.fromEntries(replaced),
  };
}

function note({ vaults }: SandboxState, { reason }: ProxyDirections, { used }: Placeholders): void {
  for (const [entity_id, names] of used) {
    vaults.note({ entity_id, fields: [...names], reason, transforms: [], by: "vault_proxy" });
  }
}

function store(
  { vaults }: SandboxState,
  { ingress, ingressContentType }: ProxyDirections,
  { headers, body }: Answer,
): string[] {
  if (ingress.length === 0) return [];
  const type = ingressContentType ?? String(headers?.["content-type"] ?? "");
  if (!/^json$|[/+]json(;|$)/i.test(type)) return ingressFailed("the target's answer is not JSON");
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return ingressFailed("the target's answer is not JSON");
  }
  const stored: string[] = [];
  for (const { fpId, identifier, path } of ingress) {
    const found = valueAt(value, path);
    if (!isVaultValue(found)) continue;
    vaults.write(fpId, { [identifier]: found as VaultValue });
    stored.push(`${fpId}.${identifier}`);
  }
  return stored;
}

function ingressFailed(why: string): never {
  throw new Refusal(502, "ingress_failed", `${why}; nothing was stored`);
}
