import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LostAnswerError } from "../../src/activities/failure.js";
import { SchemaError, TransientError } from "../../src/api/http/errors.js";
import type { Caller } from "../../src/jobs/job.js";
import type { ProxyOptions } from "../../src/jobs/kinds/proxy.js";
import type { ProxyRow } from "../../src/jobs/proxy/row.js";
import { proxyJob } from "../../src/jobs/proxy.js";
import type { ProxyDigest } from "../../src/lake/calls/staged-call.js";
import { type Lake, openLake } from "../../src/lake/lake.js";
import { appendOnce } from "../../src/lake/tables/append.js";
import { proxyCalls } from "../../src/lake/tables/bulk.js";
import { writeRows } from "../../src/lake/tables/parquet-file.js";

const OPTIONS = { proxy: "p" };
const rowsOf = (row: ProxyRow) => [{ line: 2, row }];
const place = (lake: Lake | null, options: object = {}) => ({
  ...{ runId: "r", lake: lake as Lake, sealer: null as never, options: { ...OPTIONS, ...options } },
});

/** Works on a row whose call ends so; gives its end and its table row, and what was asked. */
async function work(row: ProxyRow, end: Partial<ProxyDigest> | Error, options = {}, secrets = {}) {
  const calls: unknown[][] = [];
  const once = async (...call: unknown[]) => {
    calls.push(call);
    if (end instanceof Error) throw end;
    const whole = {
      status: 200,
      contentType: null,
      durationMs: 3,
      bytes: 1,
      sha256: "00",
      body: null,
      ...end,
    };
    return { body: whole, at: 0, asked: 1, repeated: "no" as const };
  };
  const caller = { options: { ...OPTIONS, ...options }, secrets, once, lost: async () => 2 };
  const result = await proxyJob.work(rowsOf(row), caller as unknown as Caller<ProxyOptions>);
  const item = { rows: rowsOf(row), result, reason: null, asked: 0 };
  const [written] = proxyJob.rows(place(null, options), item).proxy_calls ?? [];
  return { call: calls[0], end: proxyJob.end?.(result, 0), written };
}

test.each([
  [200, "done", null],
  [304, "done", null],
  [404, "failed", "http_404"],
  [500, "failed", "http_500"],
])("an answer with %i: the row is %s", async (status, end, reason) => {
  const { written, ...told } = await work({ id: "a" }, { status });
  expect(told.end).toEqual(end === "done" ? undefined : { status: end, reason });
  expect(written).toMatchObject({ status: "answered", reason, http_status: status, asked: 1 });
});

test("a lost answer ends the row; anything else that passes is left to the engine", async () => {
  const { end, written } = await work({ id: "a" }, new LostAnswerError("call_vault_proxy", 0));
  expect(end).toEqual({ status: "failed", reason: "lost_answer" });
  expect(written).toMatchObject({ status: "unknown", http_status: null, asked: 2 });
  const passing = new TransientError({ operation: "call_vault_proxy", sent: false }, "timeout");
  await expect(work({ id: "a" }, passing)).rejects.toBe(passing);
});

const facts = { operation: "call_vault_proxy", sent: true, status: 200, write: "once" } as const;

test.each([
  ["too slow", new LostAnswerError("c", 0, { cause: new TransientError(facts, "timeout") })],
  ["too long", new SchemaError(facts, "", "expected a body of at most 1 bytes")],
])("an answer that was %s is told from one that never came, and is as unsure", async (_, thrown) => {
  const { end, written } = await work({ id: "a" }, thrown);
  expect(end).toEqual({ status: "failed", reason: "cut_answer" });
  expect(written).toMatchObject({ status: "unknown", reason: "cut_answer", asked: 2 });
  expect(proxyJob.isUnsure?.("cut_answer")).toBe(true);
});

test.each([
  [0, "refused"],
  [1, "unknown"],
])("a row that did not end, after %i requests: %s", (asked, status) => {
  const item = { rows: rowsOf({ id: "a" }), result: null, reason: "gave_up timeout", asked };
  const { proxy_calls } = proxyJob.rows(place(null), item);
  expect(proxy_calls).toMatchObject([{ status, reason: "gave_up timeout", asked }]);
});

test("a request is made of its row, the options and the secrets", async () => {
  const options = { method: "PUT", access_reason: "payout" };
  const secrets = { headers: '{"forward":{"a":"b"}}' };
  const row = { id: "a", fp_id: "u", method: "PATCH", path_and_query: "/x", body: "é" } as const;
  const { call } = await work(row, {}, options, secrets);
  const headers = {
    ...{ forward: { a: "b" }, content_type: "application/json", access_reason: "payout" },
    ...{ fp_id: "u", method: "PATCH", path_and_query: "/x" },
  };
  expect(call?.[2]).toEqual({ path: { id: "p" }, headers, body: Buffer.from("é") });
  expect(call?.[4]).toEqual({ repeatable: false, keepBytes: 0 });
  expect((await work({ id: "a", repeatable: true }, {})).call?.slice(2)).toEqual([
    { path: { id: "p" }, headers: {} },
    undefined,
    { repeatable: true, keepBytes: 0 },
  ]);
});

test.each([
  [Buffer.from("é\n"), "é\n", "utf-8"],
  [Buffer.from(""), "", "utf-8"],
  [Buffer.from([0xff, 0xfe]), "//4=", "base64"],
  [Buffer.from("a\0b"), "YQBi", "base64"],
  [Buffer.from("\ufeffa"), "\ufeffa", "utf-8"],
])("a body of %j is kept as %j", async (bytes, body, body_encoding) => {
  const kept = { keep_body: true };
  const { written } = await work({ id: "a" }, { body: bytes.toString("base64") }, kept);
  expect(written).toMatchObject({ body, body_encoding });
  expect((await work({ id: "a" }, { body: "" })).written).toMatchObject({ body: null, body_encoding: null });
});

test("a body that is too long to be kept is told of", async () => {
  const { written, end } = await work({ id: "a" }, { bytes: 300_000 }, { keep_body: true });
  expect(end).toBeUndefined();
  expect(written).toMatchObject({
    body: null,
    reason: "its body of 300000 bytes is too long to be kept",
  });
});

let directory: string;
let lake: Lake;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-proxy-"));
  lake = openLake({ directory });
});
afterEach(async () => {
  await lake.close();
  await rm(directory, { recursive: true, force: true });
});

test("what earlier runs of the proxy tell of a request decides whether it is sent", async () => {
  const called_at = "2026-11-22T02:00:00.000Z";
  const known = [
    ["ok", "answered", 200],
    ["no", "answered", 422],
    ["broken", "answered", 503],
    ["lost", "unknown", null],
    ["found", "unknown", null],
    ["found", "answered", 201],
    ["refused", "refused", null],
    ["skipped", "skipped", null],
  ] as const;
  const rows = [
    ...known.map(([id, status, http_status]) => ({ proxy: "p", id, status, http_status, called_at })),
    { proxy: "other", id: "new", status: "answered", http_status: 200 },
  ];
  await appendOnce(lake, proxyCalls, "x", () => writeRows(lake, proxyCalls, "x", rows));
  const ids = [...new Set(known.map(([id]) => id)), "new"];
  const planned = async (more: Partial<ProxyRow>, options = {}) => {
    const asked = ids.map((id, line) => ({ line, row: { id, ...more } }));
    const { work, ended } = await proxyJob.plan!(place(lake, options), asked);
    const idsOf = (items: typeof work) => items.map(({ rows: [one] }) => one?.row.id);
    const skipped = ended.filter(({ result }) => result.status === "skipped");
    return { work: idsOf(work), skipped: idsOf(skipped), ended: ended.length };
  };
  const { ended } = await proxyJob.plan!(
    place(lake, {}),
    ["broken", "lost"].map((id, line) => ({ line, row: { id } })),
  );
  const reasons = ended.map(({ result }) => result.reason ?? "");
  expect(reasons).toEqual([
    "an earlier run sent it and was answered with http_503, so the target may have acted",
    "an earlier run sent it and its answer was lost",
  ]);
  expect([...reasons, "lost_answer", "http_500", "http_404"].map((one) => proxyJob.isUnsure?.(one))).toEqual([
    ...[true, true, true, true, false],
  ]);
  const skipped = ["ok", "found"];
  const again = ["no", "refused", "skipped", "new"];
  expect(await planned({})).toEqual({ work: again, skipped, ended: 4 });
  const all = ["no", "broken", "lost", "refused", "skipped", "new"];
  expect(await planned({ repeatable: true })).toEqual({ work: all, skipped, ended: 2 });
  expect(await planned({}, { send_unknown: true })).toEqual({ work: all, skipped, ended: 2 });
});
