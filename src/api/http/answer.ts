import type { z } from "zod";
import { parseExactly } from "../../domain/json/text.js";
import { isJsonObject } from "../../domain/json/value.js";
import { isWrite, type Operation, type ResponseOf } from "../operations/operation.js";
import { type CallFacts, SchemaError, TransientError } from "./errors.js";
import type { Reply } from "./exchange.js";
import { notJson } from "./failure-errors.js";

/**
 * Parses and checks the body of an answer.
 *
 * @throws SchemaError when the body isn't of the agreed shape, or that of a read isn't JSON.
 * @throws TransientError when it isn't JSON and answers a write (`no_json`), or came without framing, so that a
 * connection cut in the middle looks like its end (`torn_body`).
 */
export function readAnswer<O extends Operation>(operation: O, reply: Reply): ResponseOf<O> {
  const body = operation.answers === "bytes" ? reply.body : parseBody(operation, reply);
  return checkAnswer(operation, body, reply.status);
}

/**
 * Checks that an answer holds a JSON object, and gives its text: a parsed number loses digits. The object's values are
 * left to the caller.
 *
 * @throws as {@link readAnswer}
 */
export function readObjectText(operation: Operation, reply: Reply): string {
  if (isJsonObject(parseBody(operation, reply))) return reply.body.toString("utf8");
  throw new SchemaError(factsOf(operation, reply.status), "", "not an object");
}

/** Checks a parsed body against the operation's response schema; throws SchemaError. */
export function checkAnswer<O extends Operation>(
  operation: O,
  body: unknown,
  status?: number,
): ResponseOf<O> {
  const { error } = operation.response.safeParse(body);
  // Returned as it came: zod's copy loses a field named `__proto__`.
  if (error === undefined) return body as ResponseOf<O>;
  const issue: z.core.$ZodIssue | undefined = error.issues[0];
  throw new SchemaError(
    factsOf(operation, status),
    issue?.path.join(".") ?? "",
    issue?.message ?? "not as the contract says",
  );
}

/** Parses a body. The parser's own message is dropped: it quotes the body. */
function parseBody(operation: Operation, reply: Reply): unknown {
  try {
    const text = reply.body.toString("utf8");
    return operation.exactNumbers ? parseExactly(text) : JSON.parse(text);
  } catch {
    const facts = factsOf(operation, reply.status);
    const framed =
      reply.headers["content-length"] !== undefined || reply.headers["transfer-encoding"] !== undefined;
    throw framed
      ? notJson(facts, isWrite(operation), "expected a JSON body")
      : new TransientError(facts, "torn_body");
  }
}

function factsOf({ name, idempotent }: Operation, status: number | undefined): CallFacts {
  return { operation: name, sent: true, status, write: !idempotent };
}
