import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import type { ApiError } from "../../../src/api/http/errors.js";
import { getUser, syncTransactions } from "../../../src/api/operations/index.js";
import {
  type FaultServer,
  type Handler,
  json,
  KEY,
  rejection,
  startFaultServer,
  until,
} from "../../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(() => server.close());

const LIMITS = { maxBodyBytes: 1000 };
/** For answers that never end, and those that never begin; a busy machine would take an honest one for such. */
const UNENDING = { ...LIMITS, bodyTimeoutMs: 300 };
const IMPATIENT = { ...UNENDING, headersTimeoutMs: 300 };
const CALL = { path: { link_id: "link_secret" }, query: { cursor: "cursor_secret" } };
const BODY_SECRET = "body_secret";
const PAGE = { has_more: false, transactions: { created: [], updated: [], removed: [] } };

async function failure(handler: Handler, limits: typeof LIMITS = LIMITS): Promise<ApiError> {
  server = await startFaultServer(handler);
  const error = await rejection(server.client(limits).read(syncTransactions, CALL));
  // Whatever is logged of it, message, stack, cause and fields: no key, id, cursor or body.
  const everything = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error);
  for (const secret of [
    KEY,
    Buffer.from(`${KEY}:`).toString("base64"),
    "link_secret",
    "cursor_secret",
    BODY_SECRET,
  ]) {
    expect(everything).not.toContain(secret);
  }
  return error as ApiError;
}

describe("a status is the error that says what to do about it, sent once", () => {
  it.each<[number, Record<string, string | string[]>, object]>([
    [401, {}, { name: "AuthError" }],
    [429, {}, { name: "RateLimitedError", retryAfterMs: undefined }],
    [429, { "retry-after": "2" }, { name: "RateLimitedError", retryAfterMs: 2000 }],
    [
      429,
      { "retry-after": "Sat, 21 Nov 2026 02:15:30 GMT", date: "Sat, 21 Nov 2026 02:15:00 GMT" },
      { name: "RateLimitedError", retryAfterMs: 30_000 },
    ],
    // A proxy adds its own.
    [
      429,
      {
        "retry-after": ["Sat, 21 Nov 2026 02:15:30 GMT", "7"],
        date: ["Sat, 21 Nov 2026 02:15:00 GMT", "Sat, 21 Nov 2026 02:14:00 GMT"],
      },
      { name: "RateLimitedError", retryAfterMs: 30_000 },
    ],
    [429, { "retry-after": "soon" }, { name: "RateLimitedError", retryAfterMs: undefined }],
    [503, { "retry-after": "1" }, { name: "TransientError", reason: "http_503", retryAfterMs: 1000 }],
    [500, {}, { name: "TransientError", reason: "http_500" }],
    [408, {}, { name: "TransientError", reason: "http_408" }],
    [400, {}, { name: "RejectedError" }],
    [302, { location: "http://127.0.0.1:1/" }, { name: "SchemaError", path: "" }],
    [304, {}, { name: "SchemaError" }],
  ])("%i %j", async (status, headers, expected) => {
    const error = await failure((_, response) =>
      json(response, { error: `refused link_secret ${KEY}` }, status, headers),
    );
    expect(error).toMatchObject({ ...expected, status, sent: true, operation: "sync_transactions" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("an answer that can't be used", () => {
  it.each<[string, object, Handler]>([
    ["too large by its length", { name: "SchemaError" }, (_, response) => json(response, "x".repeat(2000))],
    [
      "too large without a length",
      { name: "SchemaError" },
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const more = () =>
          response.write(
            `"${BODY_SECRET}${"x".repeat(500)}"`,
            () => response.destroyed || setImmediate(more),
          );
        more();
      },
    ],
    [
      "wrong envelope",
      { name: "SchemaError", path: "has_more", expectation: "not true or false" },
      (_, response) =>
        json(response, { has_more: BODY_SECRET, transactions: { created: [], updated: [], removed: [] } }),
    ],
    [
      "list missing",
      { name: "SchemaError", path: "transactions.removed", expectation: "not a list" },
      (_, response) => json(response, { has_more: true, transactions: { created: [], updated: [] } }),
    ],
  ])("%s breaks the contract", async (_, expected, handler) => {
    expect(await failure(handler)).toMatchObject({ ...expected, sent: true });
  });

  it.each<[string, string, Handler]>([
    [
      "HTML",
      "no_json",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end(`<p>${BODY_SECRET}</p>`),
    ],
    ["no content type", "no_json", (_, response) => response.writeHead(200).end("{}")],
    ["empty", "no_json", (_, response) => jsonText(response, "")],
    ["not JSON", "no_json", (_, response) => jsonText(response, `{"${BODY_SECRET}`)],
    ["no content", "not_promised", (_, response) => response.writeHead(204).end()],
    ["a part", "not_promised", (_, response) => json(response, PAGE, 206)],
    [
      "behind what is no JSON",
      "no_json",
      (_, response) => jsonText(response, `)]}',\n${JSON.stringify(PAGE)}`),
    ],
    ...["gzip", "zstd", "gzip, br", "constructor"].map((name): [string, string, Handler] => [
      `called ${name} and not compressed so`,
      "no_json",
      (_, response) => json(response, PAGE, 200, { "content-encoding": name }),
    ]),
    [
      "shorter than its length",
      "torn_body",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
        response.write(`{"a":"${BODY_SECRET}`, () => response.destroy());
      },
    ],
    [
      "chunks cut",
      "torn_body",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write(`{"a":"${BODY_SECRET}`, () => response.destroy());
      },
    ],
    [
      "cut without framing",
      "torn_body",
      ({ socket }) =>
        socket.end(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"a":"${BODY_SECRET}`,
        ),
    ],
    ["reset before the head", "connection_reset", ({ socket }) => socket.resetAndDestroy()],
    ["closed before the head", "connection_reset", ({ socket }) => socket.end()],
    ["not HTTP", "bad_http", ({ socket }) => socket.end(`${BODY_SECRET}\r\n\r\n`)],
    ["never a head", "timeout", () => {}],
    [
      "never a body",
      "timeout",
      (_, response) =>
        response.writeHead(200, { "content-type": "application/json", "content-length": "9" }).flushHeaders(),
    ],
    [
      "a slow drip",
      "timeout",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const drip = setInterval(() => response.write(" "), 20);
        response.on("close", () => clearInterval(drip));
      },
    ],
  ])("%s is transient", async (_, reason, handler) => {
    const limits = reason === "timeout" ? IMPATIENT : LIMITS;
    expect(await failure(handler, limits)).toMatchObject({ name: "TransientError", reason, sent: true });
    expect(server.requests.length).toBeLessThanOrEqual(1);
  });

  it("a refusal's head counts even if its body never ends", async () => {
    const error = await failure((_, response) => {
      response.writeHead(429, { "retry-after": "1", "content-length": "50" });
      response.write(BODY_SECRET);
    }, UNENDING);
    expect(error).toMatchObject({ name: "RateLimitedError", retryAfterMs: 1000 });
  });

  it("nobody listening is transient, and counts as not sent", async () => {
    server = await startFaultServer(() => {});
    await server.close();
    const client = server.client(LIMITS);
    const error = await rejection(client.read(getUser, { path: { fp_id: "x" } }));
    expect(error).toMatchObject({ name: "TransientError", reason: "connection_refused", sent: false });
  });
});

describe("abort", () => {
  it("ends the call in flight with the signal's reason and frees its place", async () => {
    let first = true;
    server = await startFaultServer((_, response) => {
      if (!first) json(response, {});
      first = false;
    });
    const client = server.client({ concurrency: 1 });
    const controller = new AbortController();
    const call = rejection(client.read(getUser, { path: { fp_id: "x" } }, { signal: controller.signal }));
    await until(() => server.requests.length === 1);
    const reason = new Error("shut down");
    controller.abort(reason);
    expect(await call).toBe(reason);
    await client.read(getUser, { path: { fp_id: "y" } });
  });

  it("ends waiting, sending nothing", async () => {
    server = await startFaultServer(() => {});
    const client = server.client({ concurrency: 1 });
    const controller = new AbortController();
    const busy = rejection(client.read(getUser, { path: { fp_id: "x" } }));
    const waiting = rejection(client.read(getUser, { path: { fp_id: "y" } }, { signal: controller.signal }));
    await until(() => server.requests.length === 1);
    controller.abort();
    expect(await waiting).toMatchObject({ name: "AbortError" });
    await client.close();
    await busy;
    expect(server.requests).toHaveLength(1);
  });
});

function jsonText(response: Parameters<Handler>[1], text: string): void {
  response.writeHead(200, { "content-type": "application/json" }).end(text);
}
