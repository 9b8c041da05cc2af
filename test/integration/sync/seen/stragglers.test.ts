import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { startSandbox, transactionRow } from "../../../../sandbox/index.js";
import type { LakeQuery } from "../../../../src/lake/query/query.js";
import { withStoreQuery } from "../../../../src/lake/query/store-query.js";
import { createLocalStore } from "../../../../src/lake/store/local/local-store.js";
import { transactions } from "../../../../src/lake/tables/transactions.js";
import { openClusterFolder } from "../../../helpers/command/cluster-folder.js";
import { type JobFolder, openJobFolder } from "../../../helpers/command/job-folder.js";
import { eachTest } from "../../../helpers/each-test.js";
import { auditLake } from "../../../helpers/lake/lake-audit.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

const sandbox = eachTest(startSandbox);
let folder: JobFolder;

beforeEach(async () => {
  for (const link of ["good", "bad"]) {
    sandbox.addLink({ fp_id: `fp_${link}`, id: link });
    const rows = Array.from({ length: 3 }, (_, n) => transactionRow({ transaction_id: `${link}-${n}` }));
    sandbox.append(
      link,
      rows.map((row) => ({ change: "created", row })),
    );
  }
  folder = await openClusterFolder(sandbox, temporal);
});
afterEach(async () => {
  await folder.release();
});

/** Rows of each link in `transactions`; none before the table is there. */
async function liveRows(): Promise<unknown> {
  const sql = "select link_id, count(*) as n from transactions group by 1 order by 1";
  const work = async (query: LakeQuery) => {
    for await (const batch of query.query(sql)) return batch.map(({ link_id, n }) => `${link_id} ${n}`);
    return [];
  };
  return withStoreQuery(createLocalStore(folder.lake), work, { tables: [transactions] }).catch(() => []);
}

const STAMP = String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d `;

test("a link that is tried again is named, and the others' rows are in transactions while it waits", async () => {
  sandbox.addFault({ id: "down", kind: "status", status: 503, link: "bad", operation: "sync_transactions" });
  const sync = folder.sync();
  const line = String.raw`waiting: bad http_503, (\d+)(nd|rd|th) try (now|at \d\d:\d\d(:\d\d)?), gives up after \d\d:\d\d(:\d\d)?$`;
  await sync.says(new RegExp(STAMP + line, "m"));
  await expect.poll(liveRows, { timeout: 120_000 }).toEqual(["good 3"]);
  expect(sync.running()).toBe(true);
  sandbox.removeFault("down");
  const { code, stdout, stderr } = await sync.ended;
  expect(code, stderr).toBe(0);
  const summary = JSON.parse(stdout);
  expect(summary).toMatchObject({ status: "completed", links: { synced: 2 }, rows: { created: 6 } });
  expect(summary).not.toHaveProperty("waiting");
  expect(await liveRows()).toEqual(["bad 3", "good 3"]);
  expect(await auditLake(folder.lake, sandbox)).toEqual([]);
  // Each try is a line, and none comes twice.
  const waits = stderr.split("\n").filter((text) => text.includes("waiting: bad"));
  const tries = waits.map((text) => new RegExp(line).exec(text)?.[1]);
  expect(new Set(tries).size).toBe(tries.length);
});

test("a service that asks for a pause is named, and a command that leaves the run says what it waits for", async () => {
  const throttle = { kind: "status", status: 429, retryAfter: 600, operation: "sync_transactions" } as const;
  sandbox.addFault({ ...throttle, times: 2 });
  await folder.release();
  folder = await openJobFolder(sandbox);
  const sync = folder.sync();
  await sync.says(new RegExp(`${STAMP}starting Temporal…$`, "m"));
  await sync.says(
    new RegExp(`${STAMP}waiting: throttled by the service until \\d\\d:\\d\\d(:\\d\\d)?$`, "m"),
  );
  const { code, stdout } = await sync.end("SIGINT");
  expect(code).toBe(1);
  const { status, waiting, waiting_total, throttled_until } = JSON.parse(stdout);
  expect({ status, waiting_total }).toEqual({ status: "paused", waiting_total: 2 });
  const times = { next_try_at: expect.any(String), gives_up_at: expect.any(String) };
  const refused = (link: string) => ({ link, reason: "http_429", attempts: 1, ...times });
  expect(waiting).toEqual(expect.arrayContaining([refused("bad"), refused("good")]));
  const pause = Date.parse(throttled_until) - Date.now();
  expect(pause).toBeGreaterThan(400_000);
  expect(pause).toBeLessThanOrEqual(600_000);
  expect(Date.parse(waiting[0].next_try_at)).toBeGreaterThanOrEqual(Date.parse(throttled_until));
});

test("a user whose links can't be listed is named by their id", async () => {
  const fault = { kind: "status", status: 503, operation: "list_bank_links" } as const;
  sandbox.addFault({ ...fault, id: "down", user: "fp_bad" });
  const sync = folder.sync();
  await sync.says(/waiting: fp_bad http_503, \d+(nd|rd|th) try/);
  sandbox.removeFault("down");
  const { code, stderr } = await sync.ended;
  expect(code, stderr).toBe(0);
});

test("with a cluster, a command that leaves a running run says what the run waits for", async () => {
  sandbox.addFault({ id: "down", kind: "reset", link: "bad", operation: "sync_transactions" });
  const detached = async () => JSON.parse((await folder.sync("--detach").ended).stdout);
  const first = await detached();
  expect(first).toMatchObject({ status: "running" });
  expect(first).not.toHaveProperty("waiting");
  const waiting = [expect.objectContaining({ link: "bad", reason: "connection_reset" })];
  const words = { run_id: first.run_id, status: "running", waiting, waiting_total: 1 };
  await expect.poll(detached).toMatchObject(words);
  sandbox.removeFault("down");
  const { code, stderr } = await folder.sync().ended;
  expect(code, stderr).toBe(0);
});
