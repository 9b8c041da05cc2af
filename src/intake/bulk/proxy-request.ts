import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { checkRequest } from "../../api/http/request.js";
import { callVaultProxy } from "../../api/operations/vault-proxy.js";
import { bodyForm } from "../../domain/bulk/body-template.js";
import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import type { AnyJob } from "../../jobs/job.js";
import { JSON_TYPE, proxyJob, proxyJobOf } from "../../jobs/proxy.js";

/** What every request of a proxy job has in common, as flags give it. */
export interface ProxyFlags {
  readonly config: string;
  readonly bodyTemplate?: string | undefined;
  /** `name: value`, or `@file` with a line for each. */
  readonly header?: readonly string[];
  readonly method?: string | undefined;
  readonly contentType?: string | undefined;
  readonly accessReason?: string | undefined;
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly pinCert?: string | undefined;
  readonly keepBody?: boolean | undefined;
  readonly sendUnknown?: boolean | undefined;
}

interface ProxyRequest {
  readonly job: AnyJob;
  readonly options: BulkOptions;
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * The flags that a schedule keeps, with absolute paths.
 *
 * @throws InputError for a header in the clear: a schedule shows its command line.
 */
export function absoluteFlags(cwd: string, flags: ProxyFlags): ProxyFlags {
  const { config, method, contentType, accessReason, keepBody, sendUnknown, header } = flags;
  const { bodyTemplate, clientCert, clientKey, pinCert } = flags;
  const files = Object.entries({ bodyTemplate, clientCert, clientKey, pinCert }).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, resolve(cwd, path)] as const],
  );
  if (header?.some((text) => !text.startsWith("@")))
    throw new InputError(
      "--header: a schedule shows its command line, so its headers come from a file. Nothing was changed. " +
        "Give --header @file with a line for each.",
    );
  return {
    ...{ config, method, contentType, accessReason, keepBody, sendUnknown },
    ...Object.fromEntries(files),
    ...(header && { header: header.map((text) => `@${resolve(cwd, text.slice(1))}`) }),
  };
}

/** Reads what the requests of a proxy job have in common. @throws InputError naming the flag, never a value. */
export async function readProxyRequest(cwd: string, flags: ProxyFlags): Promise<ProxyRequest> {
  const { config, bodyTemplate, method, contentType, accessReason, keepBody, sendUnknown } = flags;
  const shown = {
    ...(method !== undefined && { method }),
    ...(contentType !== undefined && { content_type: contentType }),
    ...(accessReason !== undefined && { access_reason: accessReason }),
  };
  const secrets = await readProxyHeaders(cwd, flags);
  const headers = { ...JSON.parse(secrets.headers ?? "{}"), ...shown };
  checkRequest(callVaultProxy, { path: { id: config }, headers });
  const form = bodyForm(contentType ?? JSON_TYPE);
  const text = bodyTemplate === undefined ? undefined : await readText(cwd, "--body-template", bodyTemplate);
  return {
    job: (text === undefined ? proxyJob : proxyJobOf({ text, form })) as AnyJob,
    options: {
      proxy: config,
      ...shown,
      ...(secrets.headers !== undefined && { headers: headerParts(secrets.headers) }),
      ...(keepBody && { keep_body: true }),
      ...(sendUnknown && { send_unknown: true }),
    },
    secrets,
  };
}

/** Reads the headers and certificates of a proxy job, as a secret of the job. @throws InputError */
export async function readProxyHeaders(
  cwd: string,
  { header = [], clientCert, clientKey, pinCert }: Partial<ProxyFlags>,
): Promise<{ readonly headers?: string }> {
  const headers = headerOptions(await headerTexts(cwd, header));
  const files = [
    ["client_cert", "--client-cert", clientCert],
    ["client_key", "--client-key", clientKey],
    ["pin_cert", "--pin-cert", pinCert],
  ] as const;
  for (const [name, option, path] of files) {
    if (path === undefined) continue;
    headers[name] = Buffer.from(await readText(cwd, option, path)).toString("base64");
  }
  if (Object.keys(headers).length === 0) return {};
  checkRequest(callVaultProxy, { path: { id: "any" }, headers });
  return { headers: JSON.stringify(headers) };
}

/** Names what the headers of a proxy job consist of, without a value: a retry must be given all of it again. */
export function headerParts(headers: string): string {
  const { forward = {}, ...others } = JSON.parse(headers) as { readonly forward?: object };
  return [...Object.keys(forward).map((name) => `forward ${name}`), ...Object.keys(others)].sort().join(", ");
}

async function headerTexts(cwd: string, given: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const text of given) {
    if (!text.startsWith("@")) texts.push(text);
    else texts.push(...(await readText(cwd, "--header", text.slice(1))).split(/\r?\n/).filter(Boolean));
  }
  return texts;
}

/** Headers that are forwarded, and those that say what becomes of the answer; others have a flag or a column. */
function headerOptions(texts: readonly string[]): Record<string, unknown> {
  const forward: Record<string, string> = {};
  const rules: string[] = [];
  const types: string[] = [];
  for (const text of texts) {
    const [, name = "", value = ""] = /^([^:\s]+):[ \t]*(.*?)[ \t]*$/.exec(text) ?? [];
    const lower = name.toLowerCase();
    const forwarded = lower.startsWith(FORWARD) ? lower.slice(FORWARD.length) : "";
    if (lower === INGRESS_RULE) rules.push(value);
    else if (lower === INGRESS_TYPE && types.length === 0) types.push(value);
    else if (forwarded !== "" && !Object.hasOwn(forward, forwarded)) forward[forwarded] = value;
    else throw wrongHeader();
  }
  return {
    ...(Object.keys(forward).length > 0 && { forward }),
    ...(rules.length > 0 && { ingress_rules: rules }),
    ...(types.length > 0 && { ingress_content_type: types[0] }),
  };
}

const FORWARD = "x-fp-proxy-fwd-";
const INGRESS_RULE = "x-fp-proxy-ingress-rule";
const INGRESS_TYPE = "x-fp-proxy-ingress-content-type";

/** The error for a header that can't be given; it may hold a secret in any place, so nothing is quoted. */
function wrongHeader(): InputError {
  return new InputError(
    `--header: one is not "name: value", is given twice, or has a name other than ${FORWARD}<name>, ${INGRESS_RULE} and ${INGRESS_TYPE}. ` +
      "Nothing was started. Other headers of a proxy have a flag or a column.",
  );
}

async function readText(cwd: string, option: string, path: string): Promise<string> {
  const bytes = await readFile(resolve(cwd, path)).catch((error: NodeJS.ErrnoException) => {
    throw new InputError(`${option}: ${path} can't be read (${error.code}). Nothing was started.`);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(`${option}: ${path} is not UTF-8 text. Nothing was started.`);
  }
}
