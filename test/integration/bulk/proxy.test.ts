import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import type { AnyJob } from "../../../src/jobs/job.js";
import { proxyJob } from "../../../src/jobs/proxy.js";
import { type BulkWorld, openBulkWorld } from "../../helpers/bulk/bulk-harness.js";
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

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
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
