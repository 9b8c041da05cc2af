import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Answer, errorBody, Refusal } from "./answer.js";
import type { RecordedRequest } from "./calls.js";
import type { Fire } from "./faults/fault-book.js";
import { statusAnswer } from "./faults/status.js";
import { send } from "./faults/transport.js";
import { Query } from "./query.js";
import type { Route, Router } from "./router.js";
import type { SandboxState } from "./state.js";

/** Answers what is not for the service itself; `false` when it is not meant. */
export type ControlHandler = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** Makes the HTTP server of a stand-in; the caller binds and closes it. */
export function createSandboxServer(state: SandboxState, router: Router, control: ControlHandler): Server {
  const server = createServer((request, response) => {
    const url = request.url ?? "";
    const mark = url.indexOf("?");
    const path = mark < 0 ? url : url.slice(0, mark);
    const queryText = mark < 0 ? "" : url.slice(mark + 1);
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
  response.once("close", () => {
    state.calls.end(record, response.headersSent ? response.statusCode : undefined);
  });
  try {
    state.keys.check(request.headers.authorization);
    if (route instanceof Refusal) throw route;
    const page = route.operation.pageOf?.(params, query, state) ?? 0;
    await answer(state, route, queryText, firing(state, record, page), response);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "sandbox_bug", String(error));
    reply(response, { status: refusal.status, body: errorBody(refusal.code, refusal.message) });
  }
}

/** Fires faults for one request and notes in its record which one did. */
function firing(state: SandboxState, record: RecordedRequest, page: number): Fire {
  const { operation = "unknown", link, user, cursor } = record;
  const target = { operation, link, user, page, cursor: cursor !== undefined };
  return (kind, fits) => {
    const fault = state.faults.fire(kind, target, fits);
    if (fault) record.fault = kind;
    return fault;
  };
}

/** Runs one routed call through latency, faults, strict checks and its operation. */
async function answer(
  state: SandboxState,
  { operation, params }: Route,
  queryText: string,
  fire: Fire,
  response: ServerResponse,
): Promise<void> {
  const wait = state.habits.latencyMs + (fire("latency")?.ms ?? 0);
  if (wait > 0) await delay(wait);
  if (response.destroyed) return;
  if (fire("hang")) return;
  if (fire("reset", (fault) => fault.afterBytes === undefined)) {
    response.socket?.resetAndDestroy();
    return;
  }
  const status = fire("status");
  if (status) return reply(response, statusAnswer(status));
  const call = { params, query: new Query(queryText, operation.query), state, fire };
  return send(response, operation.handle(call), fire);
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
