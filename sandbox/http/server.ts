import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { SandboxState } from "../assemble.js";
import type { RecordedRequest } from "../calls.js";
import { write } from "../faults/transport.js";
import { errorBody, Refusal } from "./answer.js";
import { RequestBody } from "./body.js";
import { handleCall } from "./request-handler.js";
import type { Route, Router } from "./router.js";

/** Answers what is for the stand-in itself, not for the service. */
export type ControlHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
) => Promise<void>;

/** Makes the HTTP server of a stand-in; the caller binds and closes it. */
export function createSandboxServer(state: SandboxState, router: Router, control: ControlHandler): Server {
  const server = createServer((request, response) => {
    const url = request.url ?? "";
    const mark = url.indexOf("?");
    const path = mark < 0 ? url : url.slice(0, mark);
    const queryText = mark < 0 ? "" : url.slice(mark + 1);
    if (path.startsWith("/_sandbox/")) void control(request, response, path);
    else void serve(state, router, request, response, path, queryText);
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
  const route = routeOf(router, request.method ?? "GET", path);
  const query = new URLSearchParams(queryText);
  const record = begin(state, request, route, path, query);
  // A service whose clock is off says so in every answer.
  const date = new Date(state.clock.now()).toUTCString();
  response.setHeader("date", state.service.behaves.has("two-dates") ? [date, date] : date);
  response.once("close", () => {
    state.calls.end(record, response.headersSent ? response.statusCode : undefined);
  });
  try {
    const body = new RequestBody(request, record);
    await handleCall({ state, route, request, response, record, query, queryText, body });
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "sandbox_bug", String(error));
    const { status, headers, code, message } = refusal;
    if (response.headersSent || response.destroyed) return;
    write(response, { status, headers, body: errorBody(code, message) });
  } finally {
    // The rest of a body that was refused: unread, it would block the connection.
    if (!request.complete) request.resume();
  }
}

function routeOf(router: Router, method: string, path: string): Route | Refusal {
  try {
    return router.find(method, path);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function begin(
  state: SandboxState,
  { method = "GET", headers }: IncomingMessage,
  route: Route | Refusal,
  path: string,
  query: URLSearchParams,
): RecordedRequest {
  const params = route instanceof Refusal ? {} : route.params;
  const token = headers["x-fp-authorization"] !== undefined;
  const key = headers.authorization !== undefined;
  return state.calls.begin({
    method,
    path,
    query: Object.fromEntries(query),
    operation: route instanceof Refusal ? undefined : route.operation.name,
    link: params.link_id,
    user: params.fp_id,
    business: params.fp_bid,
    cursor: query.get("cursor") ?? undefined,
    auth: key ? (token ? "both" : "secret_key") : token ? "client_token" : "none",
  });
}
