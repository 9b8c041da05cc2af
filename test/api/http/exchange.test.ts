import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { Pool } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { exchange } from "../../../src/api/http/exchange.js";
import { callVaultProxy, getUser } from "../../../src/api/operations/index.js";
import {
  type FaultServer,
  type Handler,
  json,
  rejection,
  startFaultServer,
} from "../../helpers/api/fault-server.js";
import { eachFile } from "../../helpers/each-test.js";

const LIMITS = { headersTimeoutMs: 5000, bodyTimeoutMs: 5000, maxBodyBytes: 1000 };
const CALL = {
  operation: getUser,
  wire: { method: "GET", path: "/" },
  request: { path: { fp_id: "fp_1" }, query: {}, headers: {}, body: undefined },
};

it("what closes while a connection is being made stops the request before its first byte", async () => {
  const server = await startFaultServer((_, response) => json(response, {}));
  const pool = new Pool(server.url, { connections: 1 });
  const onHead = () => {};
  try {
    const stop = new Error("closed meanwhile");
    const stopped = exchange(pool, { ...CALL, beforeSend: () => stop, onHead }, LIMITS);
    expect(await rejection(stopped)).toBe(stop);
    expect(server.requests).toEqual([]);
    const next = await exchange(pool, { ...CALL, beforeSend: () => undefined, onHead }, LIMITS);
    expect(next.body.toString()).toBe("{}");
    expect(server.requests).toEqual(["GET /"]);
  } finally {
    await pool.destroy();
    await server.close();
  }
});

describe("a body that flows into a sink", () => {
  let server: FaultServer;
  afterEach(() => server.close());
  const start = async (handler: Handler) => {
    server = await startFaultServer(handler);
  };
  const drip = (response: ServerResponse, piece: Buffer) => {
    const more = () => response.write(piece, (error) => error ?? setTimeout(more, 20));
    more();
  };
  const drain = () => new Writable({ write: (_chunk, _encoding, done) => done() });

  // Only here: a body that flows into a sink had a limit that began again with every piece, and none in bytes.
  it.each([
    ["drips", { bodyTimeoutMs: 700 }, 1, { name: "TransientError", reason: "timeout", status: 200 }],
    ["never ends", { maxBodyBytes: 1000 }, 10_000, { expectation: "expected a body of at most 64000 bytes" }],
  ])("that %s is cut, whatever it flows into", async (_, limits, bytes, expected) => {
    await start((_request, response) => drip(response.writeHead(200), Buffer.alloc(bytes)));
    const client = server.client(limits);
    const error = await rejection(client.download(callVaultProxy, { path: { id: "p" } }, drain()));
    expect(error).toMatchObject(expected);
  });

  it("that says that it is too long is refused before it comes", async () => {
    await start((_, response) => response.writeHead(200, { "content-length": "64001" }).write("x"));
    const client = server.client({ maxBodyBytes: 1000, bodyTimeoutMs: 100 });
    const error = await rejection(client.download(callVaultProxy, { path: { id: "p" } }, drain()));
    expect(error).toMatchObject({ name: "SchemaError" });
  });

  it("that says how long it is gets the time for it", async () => {
    await start((_, response) => {
      response.writeHead(200, { "content-length": "40000" });
      response.write(Buffer.alloc(20_000));
      setTimeout(() => response.end(Buffer.alloc(20_000)), 400);
    });
    const client = server.client({ maxBodyBytes: 1000, bodyTimeoutMs: 200 });
    const head = await client.download(callVaultProxy, { path: { id: "p" } }, drain());
    expect(head.status).toBe(200);
  });
});

let answer: readonly [encoding: string, body: Buffer];
const at = eachFile(async () => {
  const server = await startFaultServer((_, response) => {
    const [encoding, body] = answer;
    response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding }).end(body);
  });
  return { server, client: server.client({ maxBodyBytes: 1_000 }), release: server.close };
});

const TEXT = JSON.stringify({ id: "fp_1", note: "é".repeat(300) });
const PLAIN = Buffer.from(TEXT);
const call = [getUser, { path: { fp_id: "fp_1" } }] as const;

it.each([
  ["gzip", gzipSync(PLAIN)],
  ["X-Gzip", gzipSync(PLAIN)],
  ["deflate", deflateSync(PLAIN)],
  ["deflate", deflateRawSync(PLAIN)],
  ["br", brotliCompressSync(PLAIN)],
  ["identity", PLAIN],
  ["", Buffer.from(`\ufeff${TEXT}`)],
  ["gzip", gzipSync(`\ufeff${TEXT}`)],
] as const)(
  "JSON that a proxy made %s is read, and written to a file, as the service wrote it",
  async (...given) => {
    answer = given;
    await expect(at.client.read(...call)).resolves.toEqual(JSON.parse(TEXT));
    expect((await at.client.call(...call)).body.toString()).toBe(TEXT);
    const written: Buffer[] = [];
    const sink = new Writable({ write: (piece, _, done) => done(void written.push(piece)) });
    await at.client.download(...call, sink);
    expect(JSON.parse(Buffer.concat(written).toString().replace("\ufeff", ""))).toEqual(JSON.parse(TEXT));
  },
);

it.each([
  ["of which half came", gzipSync(PLAIN).subarray(0, 20), { name: "TransientError", reason: "no_json" }],
  [
    "too large by itself alone",
    gzipSync(Buffer.alloc(100_000)),
    { name: "SchemaError", expectation: "expected a body of at most 1000 bytes" },
  ],
] as const)("a compressed answer %s is not used", async (_, body, expected) => {
  answer = ["gzip", body];
  expect(await rejection(at.client.read(...call))).toMatchObject(expected);
  const sink = new Writable({ write: (_piece, _, done) => done() });
  expect(await rejection(at.client.download(...call, sink))).toMatchObject(expected);
});
