import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { type ApiClient, createApiClient } from "../../src/api/http/client.js";
import { InputError } from "../../src/domain/failures.js";
import { createLocalStore } from "../../src/lake/store/local/local-store.js";
import { SealedStore } from "../../src/lake/store/sealed-store.js";
import { createLogger, type LogHandle } from "../../src/logger.js";
import { type Receiver, type ReceiverLimits, startReceiver } from "../../src/receiver/receiver.js";
import { createSealer } from "../../src/temporal/encryption/cipher.js";
import { eachTest, tempDirectory } from "../helpers/each-test.js";
import { type StoreFault, withFaults } from "../helpers/kill/fault-store.js";
import { TEST_KEYS } from "../helpers/temporal/temporal-environment.js";
import { openRawSender, rawAnswer, startSilentServer } from "../helpers/webhooks/raw-senders.js";
import { SECRET, secretOf, signedHeaders } from "../helpers/webhooks/signed-webhook.js";

// Everything here ends before Temporal is asked, or because it is not there: the client leads nowhere.
const temp = eachTest(tempDirectory);
const sandbox = eachTest(startSandbox);
let log: LogHandle;
let connection: Connection;
let receiver: Receiver;
let api: ApiClient;

async function start(
  limits: Partial<ReceiverLimits> = {},
  port = 0,
  faults: readonly StoreFault[] = [],
): Promise<Receiver> {
  const store = withFaults(createLocalStore(join(temp.path, "lake")), faults);
  return startReceiver({
    host: "127.0.0.1",
    port,
    secrets: [SECRET],
    mode: "test",
    scope: "s",
    taskQueue: "q",
    api,
    log: log.logger,
    limits,
    client: new Client({ connection }),
    sealed: new SealedStore(store, createSealer(TEST_KEYS)),
  });
}

beforeEach(async () => {
  log = createLogger({ destination: { file: join(temp.path, "log") }, level: "debug", secrets: [SECRET] });
  connection = Connection.lazy({ address: "127.0.0.1:1" });
  api = createApiClient({
    baseUrl: sandbox.url,
    apiKey: sandbox.apiKey,
    concurrency: 2,
    userAgent: "nightledger/test",
    headersTimeoutMs: 2_000,
    bodyTimeoutMs: 2_000,
    maxBodyBytes: 1 << 20,
  });
  receiver = await start();
});
afterEach(async () => {
  await receiver.stop();
  await api.close();
  await connection.close();
  log.close();
});

const EVENT = JSON.stringify({ event_kind: "service.vault.updated", fp_id: "fp_1", is_live: false });
const OTHER_EVENT = EVENT.replace("fp_1", "fp_2");
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${receiver.url}${path}`, { method: "POST", body, headers });
const send = (body = EVENT, headers = signedHeaders(body)) => post("/webhooks", body, headers);
/** A request whose headers are there and whose body is not. */
const openRequest = (body = "{}") =>
  openRawSender(
    receiver.url,
    `POST /webhooks HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
const staged = () => readdir(join(temp.path, "lake", "_staging", "webhooks")).catch(() => []);

describe("what is refused, and counted", () => {
  const live = EVENT.replace("false", "true");
  const old = Math.floor(Date.now() / 1000) - 900;
  test.each([
    ["no signature", 401, "headers", EVENT, {}],
    ["another secret", 401, "signature", EVENT, signedHeaders(EVENT, { secret: secretOf("another one") })],
    ["another body", 401, "signature", EVENT, signedHeaders(`${EVENT} `)],
    ["an old timestamp", 401, "timestamp", EVENT, signedHeaders(EVENT, { timestamp: old })],
    ["a live event", 403, "mode", live, signedHeaders(live)],
    ["no JSON", 400, "body", "{", signedHeaders("{")],
    ["nothing", 400, "body", "", signedHeaders("")],
    ["a list", 400, "body", "[]", signedHeaders("[]")],
  ] as const)("%s: %i %s", async (_, status, refusal, body, headers) => {
    const answer = await send(body, headers);
    expect({ status: answer.status, body: await answer.json() }).toEqual({
      status,
      body: { error: refusal },
    });
    expect(receiver.counts()).toMatchObject({ taken: 0, refused: { [refusal]: 1 } });
    expect(await staged()).toEqual([]);
  });

  test("a body beyond the limit, announced or not, with a good signature or without", async () => {
    const body = JSON.stringify({ event_kind: "service.vault.updated", more: "x".repeat(300_000) });
    expect((await send(body)).status).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        for (let n = 0; n < 10; n += 1) controller.enqueue(Buffer.alloc(40_000, "x"));
        controller.close();
      },
    });
    const chunked = { method: "POST", body: stream, duplex: "half" } as RequestInit;
    expect((await fetch(`${receiver.url}/webhooks`, chunked)).status).toBe(413);
    expect(receiver.counts().refused.too_large).toBe(2);
    expect(await staged()).toEqual([]);
  });

  test.each([
    ["GET", "/webhooks", 405, "POST"],
    ["PUT", "/webhooks", 405, "POST"],
    ["GET", "/validate", 405, "POST"],
    ["POST", "/healthz", 405, "GET"],
    ["POST", "/", 404, null],
    ["POST", "/webhooks/", 404, null],
    ["GET", "/__proto__", 404, null],
  ] as const)("%s %s: %i", async (method, path, status, allow) => {
    const answer = await rawAnswer(
      receiver.url,
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    if (allow !== null) expect(answer).toContain(`allow: ${allow}`);
  });

  test.each([
    ["no JSON", "token"],
    ["no token", "{}"],
    ["an empty token", '{"validation_token":" "}'],
    ["a token that is not text", '{"validation_token":7}'],
    ["null", "null"],
  ])("at /validate, %s: 400, and the service is not asked", async (_, body) => {
    expect((await post("/validate", body)).status).toBe(400);
    expect(sandbox.requests()).toEqual([]);
  });
});

test("with a full disk an event is answered with 503, and Temporal is not asked", async () => {
  await receiver.stop();
  receiver = await start({}, 0, [
    { on: "putIfAbsent", key: "^_staging/webhooks/", when: "before", effect: "full", nth: 0 },
  ]);
  expect((await send()).status).toBe(503);
  expect(receiver.counts()).toMatchObject({ taken: 0, refused: { unavailable: 1 } });
  expect(await readFile(join(temp.path, "log"), "utf8")).toContain("No space left");
});

describe("without Temporal", () => {
  test("an event is answered with 503, and is durable all the same for its repetition", async () => {
    const answer = await send();
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(receiver.counts()).toMatchObject({ taken: 0, refused: { unavailable: 1 } });
    expect(await staged()).toHaveLength(1);
    expect(await readFile(join(temp.path, "log"), "utf8")).toContain("rejected a request with 503");
  });

  test("a token is not spent: the service is not asked", async () => {
    expect((await post("/validate", '{"validation_token":"vtok_1"}')).status).toBe(503);
    expect(sandbox.requests()).toEqual([]);
  });

  test("health says so", async () => {
    const answer = await fetch(`${receiver.url}/healthz`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ status: "unavailable", taken: 0 });
  });
});

test("so many events at once are worked on, the others come again", async () => {
  const silent = await startSilentServer();
  await receiver.stop();
  await connection.close();
  connection = Connection.lazy({ address: `127.0.0.1:${silent.port}` });
  receiver = await start({ webhooksAtOnce: 1 });
  const first = send();
  await expect.poll(staged).toHaveLength(1);
  const second = await send(OTHER_EVENT);
  expect([second.status, second.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(receiver.counts().refused).toMatchObject({ busy: 1, unavailable: 0 });
  await silent.close();
  expect((await first).status).toBe(503);
  expect(receiver.counts().refused).toMatchObject({ busy: 1, unavailable: 1 });
});

describe("slow senders", () => {
  test("hold no place of a fast one, however many they are", async () => {
    const slow = Array.from({ length: 200 }, () => openRequest("x".repeat(100)));
    for (const one of slow) {
      await one.says(/100 Continue/);
      one.send("x");
    }
    expect((await send("{}", {})).status).toBe(401);
    expect(receiver.counts().refused).toMatchObject({ headers: 1, busy: 0 });
    for (const one of slow) one.send("x".repeat(99));
    for (const one of slow) await one.says(/HTTP\/1.1 401/);
    for (const one of slow) one.end();
  });

  test("that hold too much together give way in their order, and are told to come again", async () => {
    await receiver.stop();
    receiver = await start({ bodyBytes: 1_000, webhooksAtOnce: 1, sessionsAtOnce: 1, requestMs: 60_000 });
    const slow = Array.from({ length: 3 }, () => openRequest("x".repeat(1_000)));
    for (const one of slow) {
      await one.says(/100 Continue/);
      one.send("x".repeat(900));
    }
    const [oldest, ...others] = slow;
    const answer = await oldest!.ended;
    expect(answer).toMatch(/HTTP\/1.1 503 [\s\S]*\{"error":"busy"\}/);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toMatch(/retry-after: 1/i);
    for (const one of others) one.send("x".repeat(100));
    for (const one of others) await one.says(/HTTP\/1.1 401/);
    expect(receiver.counts().refused).toMatchObject({ busy: 1, headers: 2 });
    for (const one of others) one.end();
  });
});

describe("nothing more is read of a request that has its answer", () => {
  const ANSWERED = /HTTP\/1.1 (413|404) [\s\S]*connection: close[\s\S]*\{"error":/i;
  test.each([
    ["a body that says that it is too large", "/webhooks", `content-length: ${1 << 30}`, ""],
    ["a body that turns out to be too large", "/webhooks", "transfer-encoding: chunked", "40000000\r\n"],
    ["a body that nobody asked for", "/elsewhere", `content-length: ${1 << 30}`, ""],
  ])("%s", async (_, path, header, begin) => {
    await receiver.stop();
    receiver = await start({ requestMs: 60_000 });
    const sender = openRawSender(
      receiver.url,
      `POST ${path} HTTP/1.1\r\nhost: x\r\n${header}\r\n\r\n${begin}`,
    );
    const sending = setInterval(() => sender.send("x".repeat(1 << 20)), 5);
    await sender.says(ANSWERED);
    const sentBefore = sender.sent();
    await sender.ended;
    clearInterval(sending);
    // Kernels hold tens of megabytes in both sockets; a receiver that reads on takes the whole gigabyte.
    expect(sender.sent() - sentBefore).toBeLessThan(256 << 20);
  });
});

test("a sender that sends its request slowly is cut off", async () => {
  await receiver.stop();
  receiver = await start({ headersMs: 300, requestMs: 600 });
  const headers = await rawAnswer(receiver.url, "POST /webhooks HTTP/1.1\r\nhost: x\r\nx-slow: ");
  expect(headers).toMatch(/^HTTP\/1.1 408/);
  const body = await rawAnswer(
    receiver.url,
    "POST /webhooks HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{",
  );
  expect(body).toMatch(/^HTTP\/1.1 408/);
  expect(receiver.counts().refused.unavailable).toBe(0);
});

test("stopped, it answers what has begun and takes nothing new", async () => {
  const begun = openRequest("{}");
  await begun.says(/100 Continue/);
  const stopped = receiver.stop();
  await expect(fetch(receiver.url)).rejects.toThrow();
  begun.send("{}");
  expect(await begun.ended).toMatch(/HTTP\/1.1 401 [\s\S]*connection: close/i);
  await stopped;
});

test("a port that is taken is named, and so is what to do", async () => {
  const port = Number(new URL(receiver.url).port);
  const failed = start({}, port);
  await expect(failed).rejects.toThrow(InputError);
  await expect(failed).rejects.toThrow(new RegExp(`port ${port} of 127.0.0.1 .*EADDRINUSE.*another port`));
});
