import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Answer, errorBody, Refusal } from "./answer.js";
import type { RecordedRequest } from "./calls.js";
import type { FaultTarget } from "./faults/fault-book.js";
import { statusAnswer } from "./faults/status.js";
import { send } from "./faults/transport.js";
import { Query } from "./query.js";
import type { Call, Route, Router } from "./router.js";
import type { SandboxState } from "./state.js";

/** Answers what is not for the service itself; `false` when it is not meant. */
export type ControlHandler = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** Makes the HTTP server of a stand-in; the caller binds and closes it. */
export function createSandboxServer(state: SandboxState, router: Router, control: ControlHandler): Server {
  const server = createServer((request, response) => {
    const [path = "", queryText = ""] = (request.url ?? "").split("?", 2);
    if (path.startsWith("/_sandbox/") && control(request, response, path)) return;
    void serve(state, router, request, response, path, queryText);
  });
  // A kept connection that the server closes first looks like a reset to the client: keep it as long as a test lasts.
  server.keepAliveTimeout = 600_000;
  server.requestTimeout = 0;
  return server;
}

async function serve(
  state: SandboxState,
  router: Router,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  queryText: string,
): Promise<void> {
  const query = new URLSearchParams(queryText);
  let route: Route | Refusal;
  try {
    route = router.find(request.method ?? "GET", path);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    route = error;
  }
  const params = route instanceof Refusal ? {} : route.params;
  const record = state.calls.begin({
    method: request.method ?? "GET",
    path,
    query: Object.fromEntries(query),
    operation: route instanceof Refusal ? undefined : route.operation.name,
    link: params.link_id,
    user: params.fp_id,
    cursor: query.get("cursor") ?? undefined,
  });
  let fault: string | undefined;
  response.once("close", () =>
    state.calls.end(record, response.headersSent ? response.statusCode : undefined, fault),
  );
  try {
    state.keys.check(request.headers.authorization);
    if (route instanceof Refusal) throw route;
    const page = route.operation.pageOf?.(params, query, state) ?? 0;
    const target = { ...targetOf(record), page };
    fault = await answer(state, route, queryText, target, response, record);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "sandbox_bug", String(error));
    reply(response, { status: refusal.status, body: errorBody(refusal.code, refusal.message) });
  }
}

/** Runs one routed call through latency, faults, strict checks and its operation. */
async function answer(
  state: SandboxState,
  { operation, params }: Route,
  queryText: string,
  target: FaultTarget,
  response: ServerResponse,
  record: RecordedRequest,
): Promise<string | undefined> {
  const { faults, habits } = state;
  const wait = habits.latencyMs + (faults.fire("latency", target)?.ms ?? 0);
  if (wait > 0) await delay(wait);
  if (faults.fire("hang", target)) return "hang";
  if (faults.fire("reset", target, (fault) => fault.afterBytes === undefined)) {
    response.socket?.resetAndDestroy();
    return "reset";
  }
  const status = faults.fire("status", target);
  if (status) {
    reply(response, statusAnswer(status));
    return "status";
  }
  const call: Call = {
    params,
    query: new Query(queryText, operation.query),
    state,
    fire(kind, fits) {
      const fault = faults.fire(kind, target, fits);
      if (fault) record.fault = kind;
      return fault;
    },
  };
  return send(response, operation.handle(call), faults, target);
}

function targetOf({ operation, link, user, cursor }: RecordedRequest): Omit<FaultTarget, "page"> {
  return { operation: operation ?? "unknown", link, user, cursor: cursor !== undefined };
}

function reply(response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": body.length,
    ...headers,
  });
  response.end(body);
}
