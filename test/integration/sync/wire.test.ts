import { expect, test } from "vitest";
import type { Fault } from "../../../sandbox/index.js";
import { expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import { addLink, feedOf, linkSync, syncCalls } from "../../helpers/sync/scripted-links.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

/** One of each way to tell: a status, a length, the JSON. `test/api/http` has the others. */
test("what fails in a way that may pass is asked for again a little later, what breaks the contract never", async () => {
  const transient: Readonly<Record<string, Fault>> = {
    // Without Retry-After.
    limited: { kind: "status", status: 429 },
    "cut-short": { kind: "truncated", mode: "length" },
    // Framed as whole.
    "half-a-body": { kind: "truncated", mode: "body" },
  };
  const links = Object.keys(transient);
  const world = await worlds.open();
  const { sandbox } = world;
  for (const [link, fault] of Object.entries(transient)) {
    addLink(world, link, 25, `fp_${link}`);
    sandbox.addFault({ ...fault, link, page: 1, times: 1 });
  }
  addLink(world, "thrice", 3, "fp_thrice");
  sandbox.addFault({ kind: "status", status: 503, link: "thrice", times: 3 });
  addLink(world, "lists", 3, "fp_lists");
  sandbox.addFault({ kind: "status", status: 502, operation: "list_bank_links", user: "fp_lists", times: 1 });
  sandbox.addFault({ kind: "reset", operation: "list_user_accounts", user: "fp_lists", times: 1 });
  addLink(world, "broken", 3, "fp_broken");
  sandbox.addFault({ kind: "wrong_body", link: "broken", body: '{"has_more":1}' });
  const { runId, result } = await world.sync({ pageSize: 10 });
  expect(result).toMatchObject({
    status: "completed_with_failures",
    users: { total: 6, failed: 0 },
    links: { synced: links.length + 2, failed: 1 },
    calls: sandbox.calls().total,
  });
  for (const link of links) {
    expect(syncCalls(world, link), link).toHaveLength(4);
    const [, failed, again] = syncCalls(world, link);
    expect(again?.cursor).toBe(failed?.cursor);
    expect(Number(again?.at) - Number(failed?.at)).toBeGreaterThanOrEqual(500);
    expect(await linkSync(world, runId, link)).toMatchObject({ status: "synced", pages: 3, restarts: 0 });
  }
  // Waits grow.
  const at = syncCalls(world, "thrice").map((call) => call.at);
  const waits = at.slice(1).map((time, n) => time - Number(at[n]));
  expect(waits).toHaveLength(3);
  for (const [n, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(500 * 2 ** n);
  expect(sandbox.calls().by_operation).toMatchObject({ list_bank_links: 7, list_user_accounts: 7 });
  expect(syncCalls(world, "broken")).toHaveLength(1);
  expect((await linkSync(world, runId, "broken"))?.reason).toMatch(/^schema /);
  await expectLakeEqualsTruth(world, [...links, "thrice", "lists"]);
});

test.for([
  ["seconds", 2],
  ["a date", { dateInSeconds: 3 }],
] as const)(
  "Retry-After as %s of two links pauses their operation: no such call of any link is sent until then",
  async ([, retryAfter]) => {
    // One call at a time: none is under way when the answer comes.
    const world = await worlds.open({ api: { concurrency: 1 } });
    for (const link of ["a", "b", "c", "d"]) addLink(world, link, 3);
    const operation = "sync_transactions";
    world.sandbox.addFault({ kind: "status", status: 429, retryAfter, operation, times: 2 });
    const { runId, result } = await world.sync();
    expect(result.links.synced).toBe(4);
    const limited = world.sandbox.requests({ status: 429 })[1];
    const answered = Number(limited?.at) + Number(limited?.duration_ms);
    const later = world.sandbox
      .requests({ operation })
      .filter((one) => one.sequence > Number(limited?.sequence));
    expect(later.length).toBeGreaterThan(0);
    // HTTP dates have whole seconds: a date three seconds ahead asks for two to three.
    for (const { at } of later) expect(at - answered).toBeGreaterThanOrEqual(1_900);
    const [{ paused_ms, behind } = {}] = await world.rows(
      `select paused_ms, date_diff('second', service_time, finished_at)::int as behind from runs where run_id = '${runId}'`,
    );
    expect(Number(paused_ms)).toBeGreaterThan(1_500);
    expect(behind, "seconds since the last answer").toBeTypeOf("number");
    await expectLakeEqualsTruth(world);
  },
);

test("one link that is refused for long holds up no other, and one for a day fails at once", async () => {
  const world = await worlds.open();
  for (const link of ["a", "b", "c", "d"]) addLink(world, link, 25, `fp_${link}`);
  const refusal = { kind: "status", status: 429, operation: "sync_transactions", times: 1 } as const;
  world.sandbox.addFault({ ...refusal, link: "a", page: 1, retryAfter: 3 });
  world.sandbox.addFault({ ...refusal, link: "b", page: 1, retryAfter: { dateInSeconds: 86_400 } });
  const { runId, result } = await world.sync({ pageSize: 10 });
  expect(result).toMatchObject({ links: { synced: 3, failed: 1 } });
  const endOf = (link: string) => Math.max(...syncCalls(world, link).map(({ at }) => at));
  for (const link of ["c", "d"]) expect(endOf("a") - endOf(link)).toBeGreaterThan(1_900);
  expect(syncCalls(world, "b")).toHaveLength(2);
  expect((await linkSync(world, runId, "b"))?.reason).toMatch(/^gave_up http_429 until \d{4}-/);
  const [{ paused_ms } = {}] = await world.rows(`select paused_ms from runs where run_id = '${runId}'`);
  expect(Number(paused_ms)).toBeLessThan(10_000);
  expect(Number(paused_ms)).toBeGreaterThan(1_500);
});

test("limits of an app in fixed windows, and two dates in each answer: few calls are refused, and no row is lost", async () => {
  const limits = { subject: 5, app: 12, windowMs: 2_000 };
  const behaves = new Set(["limits", "two-dates"] as const);
  const population = { kind: "synthetic", users: 30, linksPerUser: 1, rows: 5 } as const;
  const world = await worlds.open({ sandbox: { behaves, limits, population }, api: { concurrency: 4 } });
  const { result } = await world.sync();
  expect(result).toMatchObject({ status: "completed", users: { total: 30, failed: 0 } });
  // Two of each window are refused before the operation is paused, and those that were in flight.
  expect(world.sandbox.requests({ status: 429 }).length).toBeLessThan(60);
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
    world.sandbox.addFault({ kind: "status", status, operation: "get_user" });
    const { runId, result } = await world.sync({ pageSize: 10 });
    const requests = world.sandbox.requests();
    const refused = requests.slice(-2).map((request) => [request.operation, request.status]);
    expect(refused).toEqual([
      ["sync_transactions", status],
      ["get_user", status],
    ]);
    expect(requests.filter((request) => request.status === status)).toHaveLength(2);
    const whole = ["a", "c"].filter((link) => syncCalls(world, link).length > 0);
    expect(whole).toContain("a");
    expect(result).toMatchObject({
      status: "failed",
      unauthorized: true,
      links: { synced: whole.length, failed: 0 },
      // But the one about the key, which is no call of the run.
      calls: requests.length - 1,
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
  // Calls that were about to be sent when the first was refused, at most one per concurrent call, and the one about the key.
  expect(world.sandbox.requests({ status: 401 }).length).toBeLessThanOrEqual(concurrency + 1);
  world.sandbox.addKey(world.sandbox.apiKey);
  expect((await world.sync()).result.status).toBe("completed");
  await expectLakeEqualsTruth(world);
});
