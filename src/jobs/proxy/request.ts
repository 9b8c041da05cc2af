import { checkRequest } from "../../api/http/request.js";
import { callVaultProxy } from "../../api/operations/vault-proxy.js";
import { acceptedForm } from "../../api/schemas/accepted-form.js";
import { headerText, ingressRule } from "../../api/schemas/header-fields.js";
import { InputError } from "../../domain/failures.js";
import type { OpenGiven } from "../job.js";
import type { ProxyInputs, ProxyOptions } from "../kinds/proxy.js";

/** A header as it was given; it may hold a secret in any place. */
interface HeaderLine {
  readonly text: string;
  /** Which of them it is, for messages: `--header @file, line 2`. */
  readonly where: string;
}

/**
 * Checks what all requests of a proxy job have in common.
 *
 * @param secret what {@link readHeaders} has read
 * @throws InputError naming the option, never a value
 */
export function checkCommon(
  { proxy, method, content_type, access_reason }: ProxyOptions,
  secret: string | undefined,
): void {
  checkOption("--config", callVaultProxy.params.path.shape.id, proxy);
  checkOption("--method", HEADERS.method, method);
  checkOption("--content-type", HEADERS.content_type, content_type);
  checkOption("--access-reason", HEADERS.access_reason, access_reason);
  const headers = { ...JSON.parse(secret ?? "{}"), ...defined({ method, content_type, access_reason }) };
  checkRequest(callVaultProxy, { path: { id: proxy }, headers });
}

/** Reads the headers and certificates of a proxy job as one JSON text; undefined for none. @throws InputError */
export async function readHeaders(
  { header = [], client_cert, client_key, pin_cert }: ProxyInputs,
  open: OpenGiven,
): Promise<string | undefined> {
  const headers = headerOptions(await headerLines(header, open));
  const files = [
    ["client_cert", "--client-cert", client_cert],
    ["client_key", "--client-key", client_key],
    ["pin_cert", "--pin-cert", pin_cert],
  ] as const;
  for (const [name, option, path] of files) {
    if (path === undefined) continue;
    headers[name] = Buffer.from(await readText(open, option, path)).toString("base64");
    const kind = name === "client_key" ? "private key" : "certificate";
    if (!HEADERS[name].safeParse(headers[name]).success)
      throw new InputError(
        `${option} ${path} is not a PEM ${kind}. Nothing was started. Give a file that begins with -----BEGIN ${kind.toUpperCase()}-----.`,
      );
  }
  if ((client_cert === undefined) !== (client_key === undefined)) {
    const [given, missing] =
      client_cert === undefined ? ["--client-key", "--client-cert"] : ["--client-cert", "--client-key"];
    throw new InputError(
      `${given} is given without ${missing}. Nothing was started. Give the certificate and its key, or neither.`,
    );
  }
  if (Object.keys(headers).length === 0) return undefined;
  checkRequest(callVaultProxy, { path: { id: "any" }, headers });
  return JSON.stringify(headers);
}

/** Names what the headers of a proxy job consist of, without a value: a retry must be given all of it again. */
export function headerParts(headers: string): string {
  const { forward = {}, ...others } = JSON.parse(headers) as { readonly forward?: object };
  return [...Object.keys(forward).map((name) => `forward ${name}`), ...Object.keys(others)].sort().join(", ");
}

/** The lines of `--header` and of the files that it names, each with where it is. */
async function headerLines(given: readonly string[], open: OpenGiven): Promise<HeaderLine[]> {
  const lines: HeaderLine[] = [];
  for (const [index, text] of given.entries()) {
    if (!text.startsWith("@")) {
      lines.push({ text, where: given.length === 1 ? "--header" : `--header (number ${index + 1})` });
      continue;
    }
    const path = text.slice(1);
    const file = (await readText(open, "--header", path)).split(/\r?\n/);
    lines.push(
      ...file.flatMap((line, at) =>
        line === "" ? [] : [{ text: line, where: `--header @${path}, line ${at + 1}` }],
      ),
    );
  }
  return lines;
}

const FORWARD = "x-fp-proxy-fwd-";
const INGRESS_RULE = "x-fp-proxy-ingress-rule";
const INGRESS_TYPE = "x-fp-proxy-ingress-content-type";

/** What header lines make of a call; others than these have an option or a column. @throws InputError that quotes nothing */
function headerOptions(lines: readonly HeaderLine[]): Record<string, unknown> {
  const forward = new Map<string, string>();
  const ingress_rules: string[] = [];
  let type: string | undefined;
  const firstOf = new Map<string, string>();
  for (const { text, where } of lines) {
    const [, given = "", value = ""] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(text) ?? [];
    const name = given.toLowerCase();
    const forwarded = name.startsWith(FORWARD) ? name.slice(FORWARD.length) : "";
    const first = firstOf.get(name);
    if (name === "") throw refusedHeader(where, 'is not of the form "name: value"');
    if (first !== undefined && name !== INGRESS_RULE)
      throw refusedHeader(where, `has the same name as ${first}`);
    firstOf.set(name, where);
    const check = (schema: Schema) => checkOption(`${where}: the value`, schema, value);
    if (name === INGRESS_RULE) {
      check(ingressRule);
      ingress_rules.push(value);
    } else if (name === INGRESS_TYPE) {
      check(HEADERS.ingress_content_type);
      type = value;
    } else if (forwarded !== "") {
      check(headerText);
      forward.set(forwarded, value);
    } else throw refusedHeader(where, "has a name that is not accepted here");
  }
  return {
    ...(forward.size > 0 && { forward: Object.fromEntries(forward) }),
    ...(ingress_rules.length > 0 && { ingress_rules }),
    ...(type !== undefined && { ingress_content_type: type }),
  };
}

function refusedHeader(where: string, problem: string): InputError {
  return new InputError(
    `${where}: the header ${problem}. Nothing was started. Names that are accepted: ${FORWARD}<name>, ${INGRESS_RULE} and ${INGRESS_TYPE}, ` +
      "each once, except for rules; other headers of a proxy have a flag or a column.",
  );
}

type Schema = Parameters<typeof acceptedForm>[0];

const HEADERS = callVaultProxy.params.headers.shape;

/** Checks a value that an option gives, if it is given. @throws InputError that names the option, never the value */
function checkOption(where: string, schema: Schema, value: unknown): void {
  if (value === undefined) return;
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue === undefined) return;
  throw new InputError(
    `${where} ${sentence(issue.message)}. Nothing was started. Accepted: ${acceptedForm(schema, issue.path)}`,
  );
}

/** A rule's words as what is said of an option. */
function sentence(problem: string): string {
  if (/^(is|has) /.test(problem)) return problem;
  if (problem.startsWith("with ")) return `has ${problem.slice("with ".length)}`;
  return `${problem.startsWith("no ") ? "has" : "is"} ${problem}`;
}

/** Reads a file of text. @throws InputError */
export async function readText(open: OpenGiven, option: string, path: string): Promise<string> {
  const bytes = await open(option, path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(`${option}: ${path} is not UTF-8 text. Nothing was started.`);
  }
}

/** The values that are there. */
export function defined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
