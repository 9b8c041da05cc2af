import { isUtf8 } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from "node:zlib";
import type { z } from "zod";
import { NOT_PROMISED, USELESS_ANSWER } from "../../domain/backoff.js";
import type { SubjectMismatch } from "../../domain/failures.js";
import { DEEPEST, formOf, parseExactly } from "../../domain/json/text.js";
import { isJsonObject } from "../../domain/json/value.js";
import { HIDDEN, maskedId } from "../../domain/service/external-id.js";
import type { CheckedRequest, Operation, ResponseOf } from "../operations/operation.js";
import { AnotherSubjectError, factsOf, SchemaError, TransientError, tooLarge } from "./errors.js";
import type { Reply } from "./exchange.js";
import { headerOf } from "./headers.js";

type Decoder = (body: Buffer, options: ZlibOptions) => Buffer;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["identity", (body) => body],
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  // Some servers leave out the header that the format has.
  ["deflate", (body, options) => (((body[0] ?? 0) & 15) === 8 ? inflateSync : inflateRawSync)(body, options)],
  ["br", brotliDecompressSync],
]);
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/** Decompresses JSON, which proxies compress unasked, and drops a byte order mark. @throws SchemaError, TransientError */
export function plainReply(operation: Operation, reply: Reply, maxOutputLength: number): Reply {
  if (operation.answers === "bytes") return reply;
  const facts = factsOf(operation, reply.status);
  const decode = DECODERS.get((headerOf(reply.headers, "content-encoding") || "identity").toLowerCase());
  try {
    const body = decode?.(reply.body, { maxOutputLength });
    const isMarked = body?.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    if (body) return { ...reply, body: isMarked ? body.subarray(BYTE_ORDER_MARK.length) : body };
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ERR_BUFFER_TOO_LARGE")
      throw new SchemaError(facts, "", tooLarge(maxOutputLength));
  }
  throw new TransientError(facts, USELESS_ANSWER);
}

/**
 * Parses and checks the body of an answer.
 *
 * @throws SchemaError, AnotherSubjectError
 * @throws TransientError when it isn't JSON (`no_json`), or came without framing, so that a cut looks like its end
 * (`torn_body`), or does not say what an empty object would (`not_promised`).
 */
export function readAnswer<O extends Operation>(operation: O, reply: Reply): ResponseOf<O> {
  if (operation.answers === "bytes") return checkAnswer(operation, reply.body, reply.status);
  const parsed = parseBody(operation, reply);
  if (operation.answers === "nothing" && !isNothing(parsed))
    throw new TransientError(factsOf(operation, reply.status), NOT_PROMISED);
  const body = checkAnswer(operation, parsed, reply.status);
  mustBeAbout(operation, reply.request, body, reply.status);
  return body;
}

/** The text of an answer that holds a JSON object, whose values the caller checks. @throws as {@link readAnswer} */
export function readObjectText(operation: Operation, reply: Reply): string {
  const body = parseBody(operation, reply);
  if (!isJsonObject(body)) throw new SchemaError(factsOf(operation, reply.status), "", "not an object");
  mustBeAbout(operation, reply.request, body, reply.status);
  return reply.body.toString("utf8");
}

/** @throws SchemaError */
export function checkAnswer<O extends Operation>(
  operation: O,
  body: unknown,
  status?: number,
): ResponseOf<O> {
  const { error } = operation.response.safeParse(body);
  // Returned as it came: zod's copy loses a field named `__proto__`.
  if (error === undefined) return body as ResponseOf<O>;
  const { path, message } = error.issues[0] as z.core.$ZodIssue;
  throw new SchemaError(factsOf(operation, status), path.join("."), message);
}

// The parser's own message is dropped: it quotes the body.
function parseBody(operation: Operation, reply: Reply): unknown {
  const text = reply.body.toString("utf8");
  const facts = factsOf(operation, reply.status);
  let body: unknown;
  try {
    body =
      operation.exactNumbers === undefined ? JSON.parse(text) : parseExactly(text, operation.exactNumbers);
  } catch {
    const framed =
      reply.headers["content-length"] !== undefined || reply.headers["transfer-encoding"] !== undefined;
    throw new TransientError(facts, framed ? USELESS_ANSWER : "torn_body");
  }
  // Decoding puts U+FFFD in place of other bytes, a parser takes the last of two values, and deeper ones can't be kept.
  const { repeatsKey, depth } = formOf(text);
  if (!isUtf8(reply.body)) throw new SchemaError(facts, "", "expected UTF-8");
  if (repeatsKey) throw new SchemaError(facts, "", "expected each key once");
  if (depth > DEEPEST)
    throw new SchemaError(facts, "", `expected at most ${DEEPEST} objects and lists within each other`);
  return body;
}

/** Members by which an answer says that something failed, unless they are null, false or 0. */
const FAILURES = ["errors", "error", "failed"];
const NOT_YET = /^(queued|pending)$/i;

/** Whether an answer says as much as `{}`. */
function isNothing(body: unknown): boolean {
  if (!isJsonObject(body)) return false;
  const hasFailed = FAILURES.some((name) => ![undefined, null, false, 0].includes(body[name] as null));
  return !hasFailed && !NOT_YET.test(String(body.status));
}

/** The members of an answer for which `{}` was promised; `?` for a name that may be a value. */
export function newFieldsOf({ answers }: Operation, { body }: Reply): string[] {
  if (answers !== "nothing" || body.length <= 2) return [];
  try {
    const names = Object.keys(JSON.parse(body.toString("utf8")) as object);
    return names.map((name) => (/^[a-z_]{1,40}$/i.test(name) ? name : "?"));
  } catch {
    return [];
  }
}

/**
 * Compares whom a parsed answer names with its request. What the answer leaves out, or the request left open, says nothing.
 *
 * @throws AnotherSubjectError
 */
export function mustBeAbout(
  operation: Pick<Operation, "name" | "names" | "idempotent" | "changes">,
  request: Partial<CheckedRequest>,
  body: unknown,
  status?: number,
): void {
  for (const { field, parameter } of operation.names ?? []) {
    const wanted = valuesAt(request, parameter.split(".")).flat();
    if (wanted.length === 0) continue;
    const other = valuesAt(body, field.split(".")).find(
      (value) => typeof value === "string" && !wanted.includes(value),
    );
    if (typeof other !== "string") continue;
    const [only] = wanted;
    const mismatch: SubjectMismatch = {
      // A key may be anything.
      ...(field === "*" ? { field: "a key", answered: HIDDEN } : { field, answered: maskedId(other) }),
      asked: wanted.length === 1 ? maskedId(String(only)) : `one of ${wanted.length}`,
    };
    throw new AnotherSubjectError(factsOf(operation, status), mismatch);
  }
}

/** The values at a path: `links[].fp_id` gives one of each row, `*` the keys of an object. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (step === undefined) return [value];
  if (typeof value !== "object") return [];
  if (step === "*") return Object.keys(value);
  const [, list] = /^(.*)\[\]$/.exec(step) ?? [];
  const inner = (value as Readonly<Record<string, unknown>>)[list ?? step];
  if (list === undefined) return valuesAt(inner, rest);
  return Array.isArray(inner) ? inner.flatMap((row) => valuesAt(row, rest)) : [];
}
