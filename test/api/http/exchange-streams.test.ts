import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callVaultProxy, createOnboarding, uploadToVault } from "../../../src/api/operations/index.js";
import { fileBytes } from "../../../src/api/schemas/byte-source.js";
import {
  type FaultServer,
  type Handler,
  json,
  rejection,
  startFaultServer,
  until,
} from "../../helpers/api/fault-server.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

let server: FaultServer;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nightledger-streams-"));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const start = async (handler: Handler) => {
  server = await startFaultServer(handler);
  return server;
};
// The stand-in's answer says what came, which the service's own never does.
const upload = async (body: never, options = {}): Promise<unknown> => {
  const { body: answer } = await server
    .client(options)
    .call(uploadToVault, { path: { identifier: "custom.x" }, body }, { clientToken: "t" });
  return JSON.parse(answer.toString());
};
const sizeAndHash: Handler = (request, response) => {
  const hash = createHash("sha256");
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    hash.update(chunk);
  });
  request.on("end", () => json(response, { size, sha256: hash.digest("hex") }));
};

async function file(megabytes: number): Promise<{ path: string; sha256: string; size: number }> {
  const path = join(folder, "data");
  const piece = Buffer.alloc(1024 * 1024, "0123456789abcdef");
  const hash = createHash("sha256");
  for (let i = 0; i < megabytes; i += 1) {
    await appendFile(path, piece);
    hash.update(piece);
  }
  return { path, sha256: hash.digest("hex"), size: megabytes * piece.length };
}

/** Bytes in buffers that something still refers to: what waits for the collector alone is not held. */
function bytesHeld(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

describe("an upload", () => {
  it("sends a file from disk without holding it in memory", async () => {
    await start(sizeAndHash);
    const { path, sha256, size } = await file(96);
    let most = 0;
    const before = bytesHeld();
    const source = await fileBytes(path);
    async function* watched() {
      let taken = 0;
      for await (const piece of createReadStream(path)) {
        if (taken++ % 32 === 0) most = Math.max(most, bytesHeld() - before);
        yield piece as Uint8Array;
      }
    }
    const answer = await upload({ size: source.size, open: watched } as never);
    expect(answer).toEqual({ size, sha256 });
    expect(server.headers[0]?.["content-length"]).toBe(String(size));
    expect(most).toBeLessThan(16 * 1024 * 1024);
  });

  it("of unknown length goes in chunks", async () => {
    await start(sizeAndHash);
    const open = async function* () {
      yield Buffer.from("ab");
      yield Buffer.from("c");
    };
    expect(await upload({ size: undefined, open } as never)).toMatchObject({ size: 3 });
    expect(server.headers[0]).toMatchObject({ "transfer-encoding": "chunked" });
  });

  it("may take longer than the time limit as long as it moves", async () => {
    await start(sizeAndHash);
    const open = async function* () {
      for (let i = 0; i < 8; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, 60));
        yield Buffer.alloc(1000);
      }
    };
    expect(await upload({ size: 8000, open } as never, { headersTimeoutMs: 250 })).toMatchObject({
      size: 8000,
    });
  });

  it("whose source stalls is ended by the time limit, and its source is closed", async () => {
    await start(sizeAndHash);
    let closed = false;
    const open = async function* () {
      try {
        yield Buffer.alloc(10);
        await new Promise((resolve) => setTimeout(resolve, 400));
        yield Buffer.alloc(10);
      } finally {
        closed = true;
      }
    };
    const error = await rejection(upload({ size: 20, open } as never, { headersTimeoutMs: 150 }));
    expect(error).toMatchObject({ name: "TransientError", reason: "timeout" });
    await until(() => closed);
  });

  it("whose source fails, rejects with that failure", async () => {
    await start(sizeAndHash);
    const broken = new Error("disk");
    const open = async function* () {
      yield Buffer.alloc(10);
      throw broken;
    };
    expect(await rejection(upload({ size: 20, open } as never))).toBe(broken);
  });

  it("of a file that is not as long as it was, is cut short", async () => {
    await start(sizeAndHash);
    const path = join(folder, "data");
    await writeFile(path, "0123456789");
    const source = await fileBytes(path);
    await writeFile(path, "01234");
    expect(await rejection(upload(source as never))).toMatchObject({
      name: "InputError",
      message: expect.stringMatching(/not as long/),
    });
    await writeFile(path, "0123456789abcdef");
    expect(await rejection(upload(source as never))).toMatchObject({ name: "InputError" });
  });

  it("that is refused while it is on its way, ends with the refusal", async () => {
    await start((_, response) => json(response, {}, 413));
    const { path } = await file(24);
    expect(await rejection(upload((await fileBytes(path)) as never))).toMatchObject({
      name: "RejectedError",
      status: 413,
    });
  });

  it("of a file that can't be read is refused before", async () => {
    await start(sizeAndHash);
    await expect(fileBytes(join(folder, "none"))).rejects.toMatchObject({ name: "InputError" });
    await expect(fileBytes(folder)).rejects.toMatchObject({ name: "InputError" });
  });
});

describe("a proxy call", () => {
  const call = (body: never, options = {}) =>
    server.client().call(callVaultProxy, { path: { id: "p" }, body }, options);

  it("gives bytes with any content type, encoding, status and headers of the target", async () => {
    const bytes = Buffer.from([0, 255, 1, 254]);
    await start((_, response) =>
      response
        .writeHead(206, { "content-type": "image/png", "content-encoding": "br", "x-a": "b" })
        .end(bytes),
    );
    const reply = await call("x" as never);
    expect([...reply.body]).toEqual([...bytes]);
    expect(reply).toMatchObject({ status: 206, headers: { "content-type": "image/png", "x-a": "b" } });
  });

  it("whose target says 401 or 503 stops neither run nor calls where any status is asked for", async () => {
    await start((_, response) =>
      json(response, {}, server.requests.length === 1 ? 401 : 503, { "retry-after": "60" }),
    );
    const client = server.client();
    for (let i = 0; i < 3; i += 1) {
      await client.call(callVaultProxy, { path: { id: "p" } }, { accepts: () => true, run: "r" });
    }
    expect(client.pausedMs(callVaultProxy.name)).toBe(0);
  });

  it("sends every header option under its name, and forwarded ones under the prefix", async () => {
    await start((_, response) => json(response, {}));
    const headers = {
      fp_id: "fp_1",
      path_and_query: "/v1?a=b",
      access_reason: "audit",
      forward: { Accept: "text/csv", "X-Trace": "1" },
      ingress_content_type: "application/json",
      ingress_rules: ["fp_1.custom.a=$.a", "fp_1.custom.b=$.b[0]"] as [string, ...string[]],
      method: "PUT" as const,
      content_type: "text/plain",
    };
    await server.client().call(callVaultProxy, { path: { id: "p" }, headers, body: "b" });
    expect(server.headers[0]).toMatchObject({
      "x-fp-id": "fp_1",
      "x-fp-path-and-query": "/v1?a=b",
      "x-fp-proxy-access-reason": "audit",
      "x-fp-proxy-fwd-accept": "text/csv",
      "x-fp-proxy-fwd-x-trace": "1",
      "x-fp-proxy-ingress-content-type": "application/json",
      "x-fp-proxy-ingress-rule": "fp_1.custom.a=$.a, fp_1.custom.b=$.b[0]",
      "x-fp-proxy-method": "PUT",
      "content-type": "text/plain",
      "x-fp-proxy-fwd-content-type": "text/plain",
    });
    const forward = { forward: { "Content-Type": "text/csv" }, content_type: "text/plain" };
    await server.client().call(callVaultProxy, { path: { id: "p" }, headers: forward, body: "b" });
    expect(server.headers[1]?.["x-fp-proxy-fwd-content-type"]).toBe("text/csv");
  });

  it.each<[number, Record<string, string>, RegExp]>([
    [
      400,
      {},
      /status 400, of the target or of the service itself, .* after the target has acted .* not known whether/,
    ],
    [502, {}, /status 502, of the target or of the service itself/],
    [502, { "x-acme-proxy-upstream-status-code": "503" }, /the target answered with status 503\./],
    [401, { "x-acme-proxy-upstream-status-code": "401" }, /the target answered with status 401\./],
    [401, {}, /the service refused the credentials/],
  ])("says of a status %i %j whose it may be", async (status, headers, words) => {
    await start((_, response) => json(response, {}, status, headers));
    const error = await rejection(server.client().call(callVaultProxy, { path: { id: "p" } }));
    expect((error as Error).message).toMatch(words);
  });

  it("lets a long answer flow into a sink that holds it back, past the limit of a body", async () => {
    await start((_, response) => {
      response.writeHead(200, { "content-type": "application/octet-stream" });
      let left = 8;
      const more = () => (left-- > 0 ? response.write(Buffer.alloc(512 * 1024), more) : response.end());
      more();
    });
    let size = 0;
    const sink = new Writable({
      highWaterMark: 64 * 1024,
      write(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        setTimeout(done, 1);
      },
    });
    const head = await server.client().download(callVaultProxy, { path: { id: "p" } }, sink);
    expect([head.status, size, sink.writableFinished]).toEqual([200, 4 * 1024 * 1024, true]);
    expect(head.durationMs).toBeGreaterThan(0);
  });

  it("ends when its sink breaks, and breaks the sink when it ends in the middle", async () => {
    await start((_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("x", () => server.requests.length === 2 && response.destroy());
    });
    const full = new Error("disk full");
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(full) });
    const client = server.client();
    expect(await rejection(client.download(callVaultProxy, { path: { id: "p" } }, broken))).toBe(full);
    const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
    const cut = await rejection(client.download(callVaultProxy, { path: { id: "p" } }, sink));
    expect(cut).toMatchObject({ name: "TransientError", reason: "torn_body" });
    expect(sink.destroyed).toBe(true);
  });
});

it("a synchronous onboarding may take as long as it was asked to, on top of the time limit", async () => {
  const answer = { id: "o", status: "pass", requires_manual_review: false };
  await start((_, response) => void setTimeout(() => json(response, answer), 400));
  const client = server.client({ headersTimeoutMs: 150 });
  const body = { key: "pb", fp_id: "fp_1", synchronous_timeout_secs: 1 };
  expect(await client.read(createOnboarding, { body })).toMatchObject({ status: "pass" });
  const queued = client.read(createOnboarding, { body: { key: "pb", fp_id: "fp_1" } });
  expect(await rejection(queued)).toMatchObject({
    reason: "timeout",
    message: expect.stringMatching(/not known whether the request was carried out/),
  });
});
