import { readAnswer } from "../../api/http/answer.js";
import type { CallOptions, ClientToken } from "../../api/http/call-options.js";
import type { ApiClient } from "../../api/http/client.js";
import { withClientToken } from "../../api/http/client-token.js";
import {
  AnotherSubjectError,
  ApiError,
  RateLimitedError,
  SchemaError,
  TransientError,
} from "../../api/http/errors.js";
import { headerOf } from "../../api/http/headers.js";
import { checkRequest } from "../../api/http/request.js";
import { OPERATIONS } from "../../api/operations/index.js";
import type { Operation, ParamsOf } from "../../api/operations/operation.js";
import { operationFacts, operationText } from "../../api/reference/reference.js";
import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { showRows } from "../lake/row-table.js";
import { openServiceClient, unreachable } from "../session/service.js";
import { EXIT, exitCodeOf } from "../terminal/exit-code.js";
import { InterruptedError, withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";
import { type OutputFile, openOutputFile } from "../terminal/whole-file.js";
import { prettyBody, type ShownAnswer, shownAnswer, shownBytes } from "./answer.js";
import { type CallFlags, findOperation, grantOf, readCallRequest } from "./request.js";

export async function runCall(
  terminal: Terminal,
  name: string | undefined,
  flags: CallFlags,
): Promise<number> {
  if (flags.list) {
    if (flags.json) terminal.result(JSON.stringify({ items: operationFacts() }));
    else showOperations(terminal);
    return EXIT.completed;
  }
  if (name === undefined) {
    throw new InputError("call: give an operation; nothing was sent. `nightledger call --list` shows all");
  }
  const operation = findOperation(name);
  try {
    const answer = await answerOf(terminal, operation, flags);
    if (flags.json) terminal.result(JSON.stringify(answer));
    else {
      terminal.say(`status ${answer.status}`);
      terminal.result(prettyBody(answer.body));
    }
    return EXIT.completed;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (flags.json) terminal.result(JSON.stringify({ error: errorFacts(error) }));
    terminal.say(`${error.name}: ${error.message}`);
    return exitCodeOf(error);
  }
}

async function answerOf(terminal: Terminal, operation: Operation, flags: CallFlags): Promise<ShownAnswer> {
  const { params, clientToken } = await readCallRequest(operation, flags.param ?? [], flags.body);
  const request = checkRequest(operation, params);
  const grant = grantOf(operation, flags.for, clientToken, request);
  const { api, warnings } = readConfig(terminal, ["api"]);
  for (const warning of warnings) terminal.say(`warning: ${warning}`);
  const file = flags.output === undefined ? undefined : await openOutputFile(flags.output);
  try {
    return await withInterruption(async ({ signal, releases }) => {
      const client = openServiceClient(api);
      releases.add(() => client.close());
      const accepts = flags.anyStatus ? () => true : undefined;
      const call = (clientToken: ClientToken | string | undefined) =>
        makeCall(client, operation, params, flags, file, { signal, clientToken, accepts });
      return grant === undefined ? call(clientToken) : withClientToken(client, grant, call, { signal });
    });
  } catch (error) {
    await file?.discard();
    if (error instanceof InterruptedError) {
      throw new InterruptedError(
        `${operation.name}: stopped before the answer came. ${operation.idempotent ? "Call it again" : "It is not known whether the request was carried out: find out before you send it again (docs/reference/api-operations.md)"}`,
      );
    }
    if (error instanceof TransientError && !error.sent) throw unreachable(api, error, "Nothing was sent");
    throw error;
  }
}

async function makeCall(
  client: ApiClient,
  operation: Operation,
  params: ParamsOf<Operation>,
  { showSecrets = false }: CallFlags,
  file: OutputFile | undefined,
  options: CallOptions,
): Promise<ShownAnswer> {
  if (file !== undefined) {
    const head = await client.download(operation, params, file.sink, options);
    return shownAnswer(operation, head, { file: file.path, bytes: await file.keep() }, showSecrets);
  }
  const reply = await client.call(operation, params, options);
  const body =
    operation.answers === "bytes" || options.accepts !== undefined
      ? shownBytes(reply.body, headerOf(reply.headers, "content-type"))
      : readAnswer(operation, reply);
  return shownAnswer(operation, reply, body, showSecrets);
}

function errorFacts(error: ApiError): Record<string, unknown> {
  const { name, message, operation, status, sent } = error;
  return {
    class: name,
    message,
    operation,
    status,
    sent,
    ...(error instanceof SchemaError && { path: error.path, expectation: error.expectation }),
    ...(error instanceof AnotherSubjectError && error.mismatch),
    ...(error instanceof TransientError && { reason: error.reason, retry_after_ms: error.retryAfterMs }),
    ...(error instanceof RateLimitedError && { retry_after_ms: error.retryAfterMs }),
  };
}

function showOperations(terminal: Terminal): void {
  showRows(
    terminal,
    operationFacts().map(({ operation, method, path, auth, idempotent, params }) => ({
      operation,
      request: `${method} ${path}`,
      auth,
      idempotent,
      params: params.map(({ name, required }) => (required ? name : `[${name}]`)).join(" "),
    })),
  );
}

/** The help below the options of `call`: all operations, or everything about one. */
export function callHelp(name: string | undefined): string {
  if (name !== undefined) return `\n${plain(operationText(findOperation(name)))}`;
  const width = Math.max(...OPERATIONS.map((operation) => operation.name.length));
  const lines = OPERATIONS.map((operation) => `  ${operation.name.padEnd(width)}  ${operation.summary}`);
  return `\nOperations (call <operation> --help tells more):\n${lines.join("\n")}`;
}

// Without the markup of a page.
function plain(text: string): string {
  return text.replace(/^### /, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("\\|", "|");
}
