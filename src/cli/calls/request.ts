import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { z } from "zod";
import { grantFor } from "../../api/http/auth.js";
import { prefixed } from "../../api/http/request.js";
import { OPERATIONS } from "../../api/operations/index.js";
import type { CheckedRequest, Operation, ParamsOf } from "../../api/operations/operation.js";
import { parametersOf } from "../../api/reference/reference.js";
import { bare } from "../../api/schemas/accepted-form.js";
import { fileBytes } from "../../api/schemas/byte-source.js";
import { InputError } from "../../domain/failures.js";
import { type ClientTokenGrant, TOKEN_TTL } from "../../domain/service/client-token-grant.js";
import { meantWords, nearestOf } from "../../domain/words/nearest.js";

export interface CallFlags {
  readonly param?: readonly string[];
  readonly body?: string;
  readonly for?: string;
  readonly output?: string;
  readonly anyStatus?: boolean;
  readonly json?: boolean;
  readonly list?: boolean;
  readonly showSecrets?: boolean;
}

export function findOperation(name: string): Operation {
  const wanted = name.trim().toLowerCase().replaceAll("-", "_");
  const operation = OPERATIONS.find((one) => one.name === wanted);
  if (operation !== undefined) return operation;
  const names = OPERATIONS.map((one) => one.name);
  throw new InputError(
    `call: no operation of this name; nothing was sent.${meantWords(nearestOf(names, wanted))} \`nightledger call --list\` shows all`,
  );
}

/**
 * Reads `--param name=value` and `--body` into the parameters of an operation, which the client checks.
 *
 * @throws InputError naming the parameter, never its value.
 */
export async function readCallRequest(
  operation: Operation,
  texts: readonly string[],
  bodyFile: string | undefined,
  stdin: Readable = process.stdin,
): Promise<{ readonly params: ParamsOf<Operation>; readonly clientToken: string | undefined }> {
  const parts: Record<Place, Record<string, unknown>> = { path: {}, query: {}, headers: {}, body: {} };
  let clientToken: string | undefined;
  for (const [name, value] of texts.map((text) => split(operation, text))) {
    if (operation.auth === "client_token" && (name === "client_token" || name === "x-fp-authorization")) {
      if (clientToken !== undefined) throw givenTwice(operation, name);
      clientToken = value;
      continue;
    }
    const { place, field, schema, below } = target(operation, name);
    const part = parts[place];
    if (below !== undefined) {
      const record = (part[field] ?? {}) as Record<string, unknown>;
      if (Object.hasOwn(record, below)) throw givenTwice(operation, name);
      part[field] = { ...record, [below]: value };
    } else {
      const read = fieldValue(operation, name, schema, value);
      if (!Array.isArray(read) && field in part) throw givenTwice(operation, name);
      part[field] = Array.isArray(read) ? [...((part[field] as unknown[] | undefined) ?? []), ...read] : read;
    }
  }
  const hasFields = Object.keys(parts.body).length > 0;
  if (hasFields && bodyFile !== undefined) {
    throw notSent(operation, `--body and --param both give the body`, `Give it once`);
  }
  const fields = hasFields ? parts.body : undefined;
  const body = bodyFile === undefined ? fields : await readBody(operation, bodyFile, stdin);
  const { path, query, headers } = parts;
  const params = {
    path,
    query,
    ...(operation.params.headers && { headers }),
    ...(body !== undefined && { body }),
  };
  return { params: params as ParamsOf<Operation>, clientToken };
}

type Place = "path" | "query" | "headers" | "body";

function split(operation: Operation, text: string): [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw notSent(operation, `a --param is not of the form name=value`, `Give name=value`);
}

function notSent(operation: Operation, problem: string, next: string): InputError {
  return new InputError(`${operation.name}: ${problem}; nothing was sent. ${next}`);
}

function givenTwice(operation: Operation, name: string): InputError {
  return notSent(operation, `parameter ${name} is given twice`, "Give it once");
}

// A header option has its own name and that of its header.
function target(
  operation: Operation,
  name: string,
): { place: Place; field: string; schema: z.ZodType; below?: string } {
  const { path, query, headers, body } = operation.params;
  for (const [place, schema] of Object.entries({ path, query, headers, body }) as [Place, z.ZodType?][]) {
    const inner = schema && bare(schema);
    const field = inner instanceof z.ZodObject ? (inner.shape[name] as z.ZodType | undefined) : undefined;
    if (field !== undefined) return { place, field: name, schema: field };
  }
  for (const [option, header] of Object.entries(operation.headerNames ?? {})) {
    const schema = headers?.shape[option] as z.ZodType | undefined;
    if (schema === undefined) continue;
    const wanted = name.toLowerCase();
    if (wanted === header) return { place: "headers", field: option, schema };
    const prefix = header.endsWith("*") ? prefixed(header, "") : undefined;
    if (prefix !== undefined && wanted.startsWith(prefix) && wanted !== prefix) {
      return { place: "headers", field: option, schema, below: wanted.slice(prefix.length) };
    }
  }
  const names = parametersOf(operation).map((facts) => facts.name);
  const known = /^[a-z][a-z_-]{0,63}$/.test(name) ? `parameter ${name}` : "a parameter";
  throw notSent(
    operation,
    `${known} is not known to this operation`,
    `Accepted: ${names.join(", ") || "none"}`,
  );
}

function fieldValue(operation: Operation, name: string, schema: z.ZodType, text: string): unknown {
  const inner = bare(schema);
  if (inner instanceof z.ZodNumber) return /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text;
  if (inner instanceof z.ZodString || inner instanceof z.ZodEnum) return text;
  if (inner instanceof z.ZodArray) {
    if (text.trimStart().startsWith("[")) return parsed(operation, `parameter ${name}`, text);
    return bare(inner.element as z.ZodType) instanceof z.ZodString
      ? listOf(name, text)
      : [parsed(operation, `parameter ${name}`, text)];
  }
  return parsed(operation, `parameter ${name}`, text);
}

// Ids and identifiers have no commas; transforms and rules may.
function listOf(name: string, text: string): string[] {
  return name === "account_ids" || name === "fields" ? text.split(",") : [text];
}

async function readBody(operation: Operation, file: string, stdin: Readable): Promise<unknown> {
  if (operation.params.body === undefined) {
    throw notSent(operation, `takes no body`, `Leave --body out`);
  }
  if (operation.sends === "bytes")
    return file === "-" ? { size: undefined, open: () => stdin } : fileBytes(file);
  return parsed(operation, "the body", await readBytes(file, stdin));
}

async function readBytes(file: string, stdin: Readable): Promise<Uint8Array> {
  if (file === "-") return Buffer.concat(await stdin.toArray());
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new InputError(
      `${file} can't be read (${error.code}); nothing was sent. Give a file that can be read`,
    );
  });
}

// The parser's message quotes what it read. Of bytes that are not UTF-8, others would be sent.
function parsed(operation: Operation, what: string, text: string | Uint8Array): unknown {
  try {
    const utf8 = new TextDecoder("utf-8", { fatal: true });
    return JSON.parse(typeof text === "string" ? text : utf8.decode(text));
  } catch {
    throw notSent(operation, `${what} is not JSON`, `Accepted: JSON text in UTF-8`);
  }
}

/** For the token that is to be made. */
export function grantOf(
  operation: Operation,
  fpId: string | undefined,
  clientToken: string | undefined,
  request: CheckedRequest,
): ClientTokenGrant | undefined {
  if (operation.tokenUse === undefined) {
    if (fpId === undefined) return undefined;
    throw notSent(operation, `uses the secret key, not a client token`, `Leave --for out`);
  }
  if ((fpId === undefined) === (clientToken === undefined)) {
    throw notSent(
      operation,
      `needs a client token`,
      `Give either --for <fp_id>, which makes one for this call, or --param client_token=…`,
    );
  }
  if (fpId === undefined) return undefined;
  return grantFor(operation, request, { fp_id: fpId, ttl: TOKEN_TTL.min });
}
