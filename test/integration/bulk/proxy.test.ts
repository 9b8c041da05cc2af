import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { SEALED_MARK } from "../../../src/domain/sealer.js";
import type { AnyJob } from "../../../src/jobs/job.js";
import { proxyJob } from "../../../src/jobs/proxy.js";
import { openColumn } from "../../../src/lake/tables/encrypted-column.js";
import { type BulkWorld, openBulkWorld } from "../../helpers/bulk/bulk-harness.js";
import { addLink } from "../../helpers/sync/scripted-links.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { type Receiver, startReceiver } from "../../helpers/webhooks/receiver.js";

const CALL = { operation: "call_vault_proxy" } as const;
const OPTIONS = { proxy: "p" };

let world: BulkWorld;
let target: Receiver;
async function open(): Promise<void> {
  target = await startReceiver();
  world = await openBulkWorld(sharedTemporal(), proxyJob as AnyJob, { direct: true });
  world.sandbox.proxies.configure({ id: "p", target: target.url });
  target.answer = ({ path }) => ({
    status: path.startsWith("/no") ? 422 : 200,
    headers: { "content-type": "text/plain" },
    body: `for ${path}`,
  });
}
afterEach(async () => {
  await world.close();
  await target.close();
});

const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const rowsOf = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ id: `r${at}`, path_and_query: `/r${at}`, ...more }));
const sent = () => target.received.map(({ path }) => path).sort();
const calls = (columns: string) =>
  world.rows(`select ${columns}, count(*)::integer as n from proxy_calls group by all order by all`);

test("each request goes out once; its answer is in the table; the same file again sends nothing", async () => {
  await open();
  const rows = [...rowsOf(12), { id: "no", path_and_query: "/no", body: "x", method: "PUT" }];
  expect(await world.run(rows, OPTIONS)).toMatchObject({
    status: "completed_with_failures",
    rows: { total: 13, done: 12, failed: 1 },
    failures: [{ line: 13, owner: "no", reason: "http_422" }],
    calls: 13,
  });
  expect(sent()).toEqual([...rowsOf(12).map(({ path_and_query }) => path_and_query), "/no"].sort());
  const table = await world.rows(
    "select id, status, reason, http_status, content_type, response_bytes, response_sha256, body, asked, duration_ms >= 0 as timed from proxy_calls order by line",
  );
  expect(table).toEqual(
    rows.map(({ id, path_and_query }) => ({
      ...{ id, status: "answered", reason: id === "no" ? "http_422" : null },
      ...{ http_status: id === "no" ? 422 : 200, content_type: "text/plain" },
      response_bytes: `for ${path_and_query}`.length,
      response_sha256: sha256(`for ${path_and_query}`),
      ...{ body: null, asked: 1, timed: true },
    })),
  );
  expect(await world.run(rows, { ...OPTIONS, keep_body: true })).toMatchObject({
    rows: { skipped: 12, failed: 1 },
    calls: 1,
  });
});

test("a lost answer is not asked for again, unless the row says that it may be", async () => {
  await open();
  world.sandbox.addFault({ ...CALL, kind: "reset", afterEffect: true, every: 2 });
  const rows = [
    ...rowsOf(6),
    ...rowsOf(6, { repeatable: true }).map((row) => ({ ...row, id: `${row.id}+` })),
  ];
  const result = await world.run(rows, OPTIONS);
  const unknown = result.rows.failed;
  expect(result).toMatchObject({ status: "completed_with_failures", rows: { done: 12 - unknown } });
  expect(unknown).toBeGreaterThan(0);
  expect(await calls("status, reason")).toEqual([
    { status: "answered", reason: null, n: 12 - unknown },
    { status: "unknown", reason: "lost_answer", n: unknown },
  ]);
  const of = (paths: string[]) => paths.length - new Set(paths).size;
  expect(await world.rows("select sum(asked)::integer as n from proxy_calls")).toEqual([
    { n: target.received.length },
  ]);
  expect(of(sent())).toBeGreaterThan(0);
  const before = target.received.length;
  expect((await world.run(rows, OPTIONS)).rows).toMatchObject({ skipped: 12 - unknown, failed: unknown });
  expect(target.received.length).toBe(before);
});

// Held calls had all places of the worker, and a sync stood at `0/0 links` until their target let go.
test("forty requests that their target holds leave a sync of the same worker its part", async () => {
  await open();
  world.sandbox.proxies.configure({ id: "p", target: target.url, timeoutMs: 600_000 });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  target.answer = async () => {
    await held;
    return {};
  };
  try {
    const { handle } = await world.begin(rowsOf(40), OPTIONS);
    // Of the eight places of the world's worker.
    await expect.poll(() => target.received.length).toBe(6);
    for (const id of ["a", "b", "c"]) addLink(world, id, 30);
    expect((await world.sync()).result).toMatchObject({ status: "completed", links: { synced: 3 } });
    expect(target.received).toHaveLength(6);
    release();
    expect(await handle.result()).toMatchObject({ rows: { done: 40 } });
  } finally {
    release();
  }
});

const after = (path: string) => sent().filter((one) => one === path).length;

test("429 pauses and is sent again; what the service answers in the target's place is an answer", async () => {
  await open();
  world.sandbox.addFault({ ...CALL, kind: "status", status: 429, retryAfter: 1, times: 2 });
  world.sandbox.addFault({ ...CALL, kind: "status", status: 500, after: 6, times: 1 });
  world.sandbox.addFault({ ...CALL, kind: "wrong_body", after: 8, times: 1 });
  const result = await world.run(rowsOf(10), OPTIONS);
  expect(result).toMatchObject({ rows: { done: 9, failed: 1 }, failures: [{ reason: "http_500" }] });
  expect(await calls("status, http_status, content_type")).toEqual([
    { status: "answered", http_status: 200, content_type: "text/html", n: 1 },
    { status: "answered", http_status: 200, content_type: "text/plain", n: 8 },
    { status: "answered", http_status: 500, content_type: "application/json", n: 1 },
  ]);
  expect(new Set(sent()).size).toBe(sent().length);
});

test("half an answer and a gateway's error: unknown and answered, and sent again where the row allows it", async () => {
  await open();
  const rows = [...rowsOf(1), ...rowsOf(2, { repeatable: true }).slice(1)];
  world.sandbox.addFault({ ...CALL, kind: "truncated", times: 2 });
  expect((await world.run(rows, OPTIONS)).rows).toMatchObject({ done: 1, failed: 1 });
  expect([after("/r0"), after("/r1")]).toEqual([1, 2]);
  const more = [
    { id: "x", path_and_query: "/x" },
    { id: "y", path_and_query: "/y", repeatable: true },
  ];
  world.sandbox.addFault({ ...CALL, kind: "status", status: 502, times: 2 });
  expect((await world.run(more, OPTIONS)).rows).toMatchObject({ done: 1, failed: 1 });
  expect([after("/x"), after("/y")]).toEqual([0, 1]);
  const known = await world.rows("select id, status, http_status, asked from proxy_calls order by id");
  expect(known).toEqual([
    { id: "r0", status: "unknown", http_status: null, asked: 1 },
    { id: "r1", status: "answered", http_status: 200, asked: 2 },
    { id: "x", status: "answered", http_status: 502, asked: 1 },
    { id: "y", status: "answered", http_status: 200, asked: 2 },
  ]);
  expect((await world.run(more, OPTIONS)).calls).toBe(0);
  const deliberately = await world.run(more, { ...OPTIONS, send_unknown: true });
  expect(deliberately).toMatchObject({ status: "completed", rows: { done: 1, skipped: 1 } });
});

test("401 of the target is its answer; a key that the service refuses stops the run, which continues", async () => {
  await open();
  target.answer = () => ({ status: 401 });
  expect(await world.run(rowsOf(2), OPTIONS)).toMatchObject({
    status: "completed_with_failures",
    failures: [{ reason: "http_401" }, { reason: "http_401" }],
  });
  target.answer = () => ({});
  const before = target.received.length;
  world.sandbox.addFault({ kind: "status", status: 401, after: 2, times: 20 });
  const rows = rowsOf(30);
  const stopped = await world.run(rows, OPTIONS);
  expect(stopped).toMatchObject({ status: "failed", unauthorized: true });
  expect(stopped.rows.done).toBe(target.received.length - before);
  world.sandbox.clearFaults();
  expect(await world.run(rows, OPTIONS)).toMatchObject({ status: "completed" });
  expect(target.received.length - before).toBe(30);
  expect(await calls("status, http_status")).toEqual([
    { status: "answered", http_status: 200, n: 30 },
    { status: "answered", http_status: 401, n: 2 },
    { status: "skipped", http_status: null, n: stopped.rows.done },
  ]);
});

test("bodies are kept only where asked for, encrypted, byte for byte; a huge one is counted and hashed", async () => {
  await open();
  const huge = Buffer.alloc(40 * 1024 * 1024, "x");
  const bodies: Record<string, Buffer> = {
    "/text": Buffer.from('{"näme":"\\u0000"}'),
    "/bytes": Buffer.from([0x89, 0x50, 0, 0xff]),
    "/huge": huge,
    "/none": Buffer.alloc(0),
  };
  target.answer = ({ path }) => ({ body: bodies[path] ?? "" });
  const rows = Object.keys(bodies).map((path) => ({ id: path.slice(1), path_and_query: path }));
  expect((await world.run(rows, { ...OPTIONS, keep_body: true })).rows).toMatchObject({ done: 4 });
  const table = await world.rows(
    "select id, response_bytes, response_sha256, body, body_encoding, reason from proxy_calls",
  );
  for (const { id, response_bytes, response_sha256, body, body_encoding, reason } of table) {
    const bytes = bodies[`/${id}`] as Buffer;
    expect([response_bytes, response_sha256]).toEqual([bytes.length, sha256(bytes)]);
    if (id === "huge") {
      expect([body, body_encoding, reason]).toEqual([null, null, expect.stringMatching(/too long/)]);
      continue;
    }
    expect(Buffer.from(String(body), "base64").includes(bytes.length === 0 ? SEALED_MARK : bytes)).toBe(
      bytes.length === 0,
    );
    const opened = openColumn(world.sealed.sealer, "proxy_calls", "body", String(body));
    const kept = Buffer.from(opened, body_encoding === "base64" ? "base64" : "utf8");
    expect(kept.equals(bytes)).toBe(true);
    expect(reason).toBeNull();
  }
});
