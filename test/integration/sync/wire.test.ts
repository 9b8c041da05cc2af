import { expect, test } from "vitest";
import type { Fault } from "../../../sandbox/index.js";
import { expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import { addLink, feedOf, linkSync, syncCalls } from "../../helpers/sync/scripted-links.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

/** One of each way to tell: a status, a length, the JSON. `test/api/http` has the others. */
test("a page that fails in a way that may pass is requested again a little later, and nothing is lost or doubled", async () => {
  const transient: Readonly<Record<string, Fault>> = {
    // Without Retry-After.
    limited: { kind: "status", status: 429 },
    "cut-short": { kind: "truncated", mode: "length" },
    // Framed as whole.
    "half-a-body": { kind: "truncated", mode: "body" },
  };
  const links = Object.keys(transient);
  const world = await worlds.open();
  for (const [link, fault] of Object.entries(transient)) {
    addLink(world, link, 25, `fp_${link}`);
    world.sandbox.addFault({ ...fault, link, page: 1, times: 1 });
  }
  addLink(world, "b", 3);
  const { runId, result } = await world.sync({ pageSize: 10 });
  expect(result).toMatchObject({
    status: "completed",
    links: { synced: links.length + 1 },
    calls: world.sandbox.calls().total,
  });
  for (const link of links) {
    expect(syncCalls(world, link), link).toHaveLength(4);
    const [, failed, again] = syncCalls(world, link);
    expect(again?.cursor).toBe(failed?.cursor);
    expect(Number(again?.at) - Number(failed?.at)).toBeGreaterThanOrEqual(500);
    expect(await linkSync(world, runId, link)).toMatchObject({ status: "synced", pages: 3, restarts: 0 });
  }
  await expectLakeEqualsTruth(world);
});

test.for([
  ["seconds", 2],
  ["a date", { dateInSeconds: 3 }],
] as const)(
  "Retry-After as %s pauses all calls: no call of any link is sent until then",
  async ([, retryAfter]) => {
    // One call at a time: none is under way when the answer comes.
    const world = await worlds.open({ api: { concurrency: 1 } });
    for (const link of ["a", "b", "c", "d", "e", "f"]) addLink(world, link, 3);
    world.sandbox.addFault({
      kind: "status",
      status: 429,
      retryAfter,
      operation: "sync_transactions",
      nth: 3,
    });
    const { result } = await world.sync();
    expect(result.links.synced).toBe(6);
    const limited = world.sandbox.requests({ status: 429 })[0];
    const answered = Number(limited?.at) + Number(limited?.duration_ms);
    const later = world.sandbox.requests().filter(({ sequence }) => sequence > Number(limited?.sequence));
    expect(later.length).toBeGreaterThan(0);
    // HTTP dates have whole seconds: a date three seconds ahead asks for two to three.
    for (const { at } of later) expect(at - answered).toBeGreaterThanOrEqual(1_900);
    await expectLakeEqualsTruth(world);
  },
);

test("retries grow", async () => {
  const world = await worlds.open();
  addLink(world, "a", 3);
  world.sandbox.addFault({ kind: "status", status: 503, link: "a", times: 3 });
  await world.sync();
  const at = syncCalls(world, "a").map((call) => call.at);
  const waits = at.slice(1).map((time, n) => time - Number(at[n]));
  expect(waits).toHaveLength(3);
  for (const [n, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(500 * 2 ** n);
  await expectLakeEqualsTruth(world);
});

test("a user whose lists fail is asked again, and everything of theirs is read", async () => {
  const world = await worlds.open();
  addLink(world, "a", 3);
  world.sandbox.addFault({ kind: "status", status: 502, operation: "list_bank_links", times: 1 });
  world.sandbox.addFault({ kind: "reset", operation: "list_user_accounts", times: 1 });
  const { result } = await world.sync();
  expect(result).toMatchObject({ status: "completed", users: { total: 1, failed: 0 }, calls: 5 });
  await expectLakeEqualsTruth(world);
});

test.for([401, 403] as const)(
  "%s in the middle: no further request starts, complete links are committed, open ones dropped",
  async (status) => {
    const world = await worlds.open({ api: { concurrency: 1 } });
    addLink(world, "a", 5);
    addLink(world, "b", 25);
    addLink(world, "c", 5);
    world.sandbox.addFault({ kind: "status", status, link: "b", page: 1 });
    const { runId, result } = await world.sync({ pageSize: 10 });
    const requests = world.sandbox.requests();
    expect(requests.filter((request) => request.status === status)).toHaveLength(1);
    expect(requests.at(-1)?.status).toBe(status);
    const whole = ["a", "c"].filter((link) => syncCalls(world, link).length > 0);
    expect(whole).toContain("a");
    expect(result).toMatchObject({
      status: "failed",
      unauthorized: true,
      links: { synced: whole.length, failed: 0 },
      calls: requests.length,
    });
    expect(await linkSync(world, runId, "a")).toMatchObject({ status: "synced", created: 5 });
    expect(await linkSync(world, runId, "b")).toBeUndefined();
    expect(await feedOf(world, "b")).toEqual([]);
    expect((await world.rows("select status from runs"))[0]).toEqual({ status: "failed" });
    const kept = (await world.store.list("_staging/")).map(({ key }) => key);
    expect(kept).toEqual([expect.stringMatching(/-failed\/roster\/0\.jsonl$/)]);
    await expectLakeEqualsTruth(world, whole);
  },
);

test("a revoked key stops calls in flight in other groups too, and a good one continues where it was", async () => {
  const concurrency = 8;
  const world = await worlds.open({ api: { concurrency } });
  for (let user = 0; user < 120; user += 1)
    addLink(world, `l${user}`, 2, `fp_${String(user).padStart(3, "0")}`);
  world.sandbox.setLatency(20);
  const { handle } = await world.start();
  await world.sandbox.waitForRequests(150);
  world.sandbox.revokeKey();
  const result = await handle.result();
  expect(result).toMatchObject({ status: "failed", unauthorized: true });
  // Calls that were about to be sent when the first was refused: at most one per concurrent call.
  expect(world.sandbox.requests({ status: 401 }).length).toBeLessThanOrEqual(concurrency);
  world.sandbox.addKey(world.sandbox.apiKey);
  expect((await world.sync()).result.status).toBe("completed");
  await expectLakeEqualsTruth(world);
});

test("a body that breaks the contract fails the link and is not requested again", async () => {
  const world = await worlds.open();
  addLink(world, "a", 3);
  addLink(world, "b", 3);
  world.sandbox.addFault({ kind: "wrong_body", link: "a", body: '{"has_more":1}' });
  const { runId } = await world.sync();
  expect(syncCalls(world, "a")).toHaveLength(1);
  expect((await linkSync(world, runId, "a"))?.reason).toMatch(/^schema /);
  await expectLakeEqualsTruth(world, ["b"]);
});
