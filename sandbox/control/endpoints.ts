import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestFilter } from "../calls.js";
import { parseFaults } from "../faults/fault-input.js";
import { errorBody } from "../http/answer.js";
import type { ControlHandler } from "../http/server.js";
import type { Sandbox } from "../sandbox.js";
import { partMethod, REMOTE_METHODS } from "./parts.js";

interface ControlCall {
  readonly sandbox: Sandbox;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** A value is sent as JSON, a generator as NDJSON line by line, a text as it is. */
type ControlAction = (call: ControlCall) => unknown;

const linkOf = ({ query }: ControlCall) => query.get("link") ?? undefined;
const json = ({ body }: ControlCall) => JSON.parse(body || "{}");

const ACTIONS: Readonly<Record<string, ControlAction>> = {
  "GET state": ({ sandbox }) => ({
    today: sandbox.world.today,
    users: sandbox.world.users.size,
    links: sandbox.world.links.size,
    calls: sandbox.calls(),
  }),
  "GET links": ({ sandbox }) =>
    [...sandbox.world.links.values()].map(({ id, fpId, log }) => ({
      id,
      fp_id: fpId,
      events: log.length,
      rows: log.liveCount,
    })),
  "POST users": (call) => call.sandbox.addUser(json(call)),
  "POST links": (call) => ({ id: call.sandbox.addLink(json(call)) }),
  "PATCH links": (call) => call.sandbox.setLink(linkOf(call) ?? "", json(call)),
  "DELETE links": (call) => call.sandbox.removeLink(linkOf(call) ?? ""),
  "POST accounts": (call) => call.sandbox.addAccount(linkOf(call) ?? "", json(call)),
  "POST events": (call) => call.sandbox.append(linkOf(call) ?? "", json(call)),
  "GET events": (call) => call.sandbox.world.link(linkOf(call) ?? "").log.events(),
  "GET truth": (call) => call.sandbox.truthRows(linkOf(call)),
  "GET totals": (call) => call.sandbox.totals(linkOf(call)),
  "GET roster": ({ sandbox }) => sandbox.rosterCsv(),
  "POST advance": (call) => call.sandbox.advance(json(call)),
  "POST nightly-changes": (call) => call.sandbox.nightlyChanges(json(call)),
  "POST refuse-cursors": (call) => call.sandbox.refuseCursors(linkOf(call) ?? ""),
  "GET faults": ({ sandbox }) => sandbox.faults(),
  "POST faults": ({ sandbox, body }) => parseFaults(body).map((fault) => sandbox.addFault(fault)),
  "DELETE faults": ({ sandbox, query }) => {
    const id = query.get("id");
    if (id === null) sandbox.clearFaults();
    else sandbox.removeFault(id);
  },
  "POST latency": (call) => call.sandbox.setLatency(json(call).ms),
  "POST keys": (call) => call.sandbox.addKey(json(call).key),
  "POST revoke-key": (call) => call.sandbox.revokeKey(json(call).key, json(call).status),
  "GET requests": ({ sandbox, query }) => sandbox.requests(filterOf(query)),
  "DELETE requests": ({ sandbox }) => sandbox.clearRequests(),
  "GET calls": ({ sandbox }) => sandbox.calls(),
  "POST wait": (call) => call.sandbox.waitForRequests(json(call).count, json(call).filter),
};

/** Answers `/_sandbox/…`: the methods of a `Sandbox` over HTTP, without a key, on 127.0.0.1 only. */
export function controlHandler(sandboxOf: () => Sandbox): ControlHandler {
  return (request, response, path) => {
    const name = path.slice("/_sandbox/".length);
    const action = ACTIONS[`${request.method} ${name}`] ?? partAction(request.method, name);
    if (!action) {
      const parts = Object.keys(REMOTE_METHODS).map((part) => `POST ${part}/<method>`);
      const known = [...Object.keys(ACTIONS), ...parts].join(", ");
      sendJson(response, 404, errorBody("not_found", `no such control; there are: ${known}`));
      return true;
    }
    void run(action, sandboxOf(), request, response);
    return true;
  };
}

function partAction(method: string | undefined, name: string): ControlAction | undefined {
  const call = method === "POST" ? partMethod(name) : undefined;
  return call && (async ({ sandbox, body }) => ({ result: await call(sandbox, JSON.parse(body || "[]")) }));
}

async function run(
  action: ControlAction,
  sandbox: Sandbox,
  request: IncomingMessage,
  response: ServerResponse,
) {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const query = new URL(request.url ?? "", "http://sandbox").searchParams;
    const result = await action({ sandbox, query, body: Buffer.concat(chunks).toString() });
    if (typeof result === "string") {
      response.writeHead(200, { "content-type": "text/csv" }).end(result);
    } else if (isGenerator(result)) {
      await sendLines(response, result);
    } else {
      sendJson(response, 200, Buffer.from(JSON.stringify(result ?? {})));
    }
  } catch (error) {
    if (response.headersSent) response.destroy();
    else sendJson(response, 400, errorBody("control", (error as Error).message));
  }
}

/** Lines go out in portions, and wait for the reader: a truth of millions of rows must not pile up here. */
async function sendLines(response: ServerResponse, values: Generator<unknown>): Promise<void> {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  let portion = "";
  for (const value of values) {
    portion += `${JSON.stringify(value)}\n`;
    if (portion.length < 65_536) continue;
    if (!response.write(portion)) {
      await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    }
    if (response.destroyed) return;
    portion = "";
  }
  response.end(portion);
}

function sendJson(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}

function isGenerator(value: unknown): value is Generator<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value && "next" in value;
}

function filterOf(query: URLSearchParams): RequestFilter {
  const filter: Record<string, string | number> = Object.fromEntries(query);
  if ("status" in filter) filter.status = Number(filter.status);
  return filter as RequestFilter;
}
