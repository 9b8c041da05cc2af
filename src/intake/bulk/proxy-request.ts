import { resolve } from "node:path";
import { checkRequest } from "../../api/http/request.js";
import { callVaultProxy } from "../../api/operations/vault-proxy.js";
import { acceptedForm } from "../../api/schemas/accepted-form.js";
import { headerText, ingressRule } from "../../api/schemas/header-fields.js";
import { bodyForm } from "../../domain/bulk/body-template.js";
import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import type { AnyJob } from "../../jobs/job.js";
import { JSON_TYPE, proxyJob, proxyJobOf } from "../../jobs/proxy.js";
import { givenBytes } from "../files/text.js";
import { type HeaderLine, type ProxyHeaders, proxyHeaders } from "./proxy-header-lines.js";

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
  checkFlag("--config", callVaultProxy.params.path.shape.id, config);
  checkFlag("--method", HEADERS.method, method);
  checkFlag("--content-type", HEADERS.content_type, contentType);
  checkFlag("--access-reason", HEADERS.access_reason, accessReason);
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
  const headers = headerOptions(proxyHeaders(await headerLines(cwd, header)));
  const files = [
    ["client_cert", "--client-cert", clientCert],
    ["client_key", "--client-key", clientKey],
    ["pin_cert", "--pin-cert", pinCert],
  ] as const;
  for (const [name, option, path] of files) {
    if (path === undefined) continue;
    headers[name] = Buffer.from(await readText(cwd, option, path)).toString("base64");
    const kind = name === "client_key" ? "private key" : "certificate";
    if (!HEADERS[name].safeParse(headers[name]).success)
      throw new InputError(
        `${option} ${path} is not a PEM ${kind}. Nothing was started. Give a file that begins with -----BEGIN ${kind.toUpperCase()}-----.`,
      );
  }
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    const [given, missing] =
      clientCert === undefined ? ["--client-key", "--client-cert"] : ["--client-cert", "--client-key"];
    throw new InputError(
      `${given} is given without ${missing}. Nothing was started. Give the certificate and its key, or neither.`,
    );
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

/** The lines of `--header` and of the files that it names, each with where it is. */
async function headerLines(cwd: string, given: readonly string[]): Promise<HeaderLine[]> {
  const lines: HeaderLine[] = [];
  for (const [index, text] of given.entries()) {
    if (!text.startsWith("@")) {
      lines.push({ text, where: given.length === 1 ? "--header" : `--header (number ${index + 1})` });
      continue;
    }
    const path = text.slice(1);
    const file = (await readText(cwd, "--header", path)).split(/\r?\n/);
    lines.push(
      ...file.flatMap((line, at) =>
        line === "" ? [] : [{ text: line, where: `--header @${path}, line ${at + 1}` }],
      ),
    );
  }
  return lines;
}

/** The header options of a call; others than these have a flag or a column. */
function headerOptions({ forward, rules, contentType }: ProxyHeaders): Record<string, unknown> {
  const check = ({ text, where }: HeaderLine, schema: Schema) =>
    checkFlag(`${where}: the value`, schema, text);
  for (const line of forward.values()) check(line, headerText);
  for (const line of rules) check(line, ingressRule);
  if (contentType !== undefined) check(contentType, HEADERS.ingress_content_type);
  return {
    ...(forward.size > 0 && {
      forward: Object.fromEntries([...forward].map(([name, { text }]) => [name, text])),
    }),
    ...(rules.length > 0 && { ingress_rules: rules.map(({ text }) => text) }),
    ...(contentType !== undefined && { ingress_content_type: contentType.text }),
  };
}

type Schema = Parameters<typeof acceptedForm>[0];

const HEADERS = callVaultProxy.params.headers.shape;

/** Checks a value that a flag gives, if it is given. @throws InputError that names the flag, never the value */
function checkFlag(where: string, schema: Schema, value: unknown): void {
  if (value === undefined) return;
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue === undefined) return;
  throw new InputError(
    `${where} ${sentence(issue.message)}. Nothing was started. Accepted: ${acceptedForm(schema, issue.path)}`,
  );
}

/** A rule's words as what is said of a flag. */
function sentence(problem: string): string {
  if (/^(is|has) /.test(problem)) return problem;
  if (problem.startsWith("with ")) return `has ${problem.slice("with ".length)}`;
  return `${problem.startsWith("no ") ? "has" : "is"} ${problem}`;
}

async function readText(cwd: string, option: string, path: string): Promise<string> {
  const bytes = await givenBytes(resolve(cwd, path), option);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(`${option}: ${path} is not UTF-8 text. Nothing was started.`);
  }
}
