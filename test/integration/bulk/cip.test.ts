import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cipJob } from "../../../src/jobs/cip.js";
import { cipKind } from "../../../src/jobs/kinds/cip.js";
import { type BulkWorld, openBulkWorld } from "../../helpers/bulk/bulk-harness.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const OPTIONS = cipKind.options.parse({ approver: "compliance@bank.example" });

let world: BulkWorld;
beforeEach(async () => {
  const users = { kind: "synthetic", users: 30, linksPerUser: 0, accountsPerLink: 0, rows: 0 } as const;
  world = await openBulkWorld(sharedTemporal(), cipJob, { sandbox: { population: users }, direct: true });
});
afterEach(() => world.close());

const roster = () => [...world.sandbox.world.users.keys()].map((fp_id) => ({ fp_id }));
const outcomes = async (exported: unknown) => {
  const text = await readFile(join(String(exported), "outcomes.csv"), "utf8");
  return text.trim().split("\n").slice(1);
};

test("one report a member, the same rows in the pack and in the tables", async () => {
  const result = await world.run(
    [...roster(), { fp_id: "fp_left", excluded: "account never opened", legal_hold: true }],
    OPTIONS,
  );
  expect(result).toMatchObject({
    status: "completed",
    rows: { total: 31, done: 30, failed: 0, skipped: 1 },
    ...{ calls: 30, exported: 30, failed: 0, excluded: 1 },
  });
  const made = world.sandbox.cip.made();
  expect(made.map(({ fp_id }) => fp_id).sort()).toEqual(
    roster()
      .map(({ fp_id }) => fp_id)
      .sort(),
  );
  const rows = await world.rows("select fp_id, result, approved_by, asked from cip_reports order by fp_id");
  expect(rows).toEqual(
    [...made]
      .sort((a, b) => (a.fp_id < b.fp_id ? -1 : 1))
      .map(({ fp_id, report }) => ({
        fp_id,
        result: report.result,
        approved_by: report.approved_by,
        asked: 1,
      })),
  );
  expect(await readdir(join(world.lake, "_exports", "cip"))).toEqual([result.run_id]);
  expect(
    (await outcomes(result.export)).filter((line) => line.includes("account never opened")),
  ).toHaveLength(1);
  // Only the pack told of the hold, and `forget` and retention took its person for anybody.
  expect(await world.rows("select fp_id, state, reason from holds")).toEqual([
    { fp_id: "fp_left", state: "held", reason: `the roster of ${result.run_id}` },
  ]);
});

test("lost answers are counted; a retry amends the whole export and asks only for what failed", async () => {
  const [first = { fp_id: "" }, second = { fp_id: "" }] = roster();
  const call = { kind: "status", operation: "create_cip_report" } as const;
  const lost = { ...call, status: 502, times: 1, afterEffect: true } as const;
  world.sandbox.addFault({ ...lost, user: first.fp_id });
  world.sandbox.addFault({ ...lost, user: second.fp_id });
  world.sandbox.addFault({ ...call, status: 400, user: first.fp_id, after: 1, times: 1 });
  const failed = await world.run(roster(), OPTIONS);
  expect(failed).toMatchObject({ status: "completed_with_failures", exported: 29, failed: 1 });
  expect(failed.failures).toMatchObject([
    { line: 1, owner: first.fp_id, reason: "no_completed_onboarding (refused http_400)" },
  ]);
  expect(await world.rows("select fp_id, asked from cip_reports where asked > 1")).toEqual([
    { fp_id: second.fp_id, asked: 2 },
  ]);
  const retries = (await outcomes(failed.export)).filter((line) => line.includes("runs retry"));
  expect(retries).toEqual([expect.stringMatching(/runs retry cip-[^"]*",2,/)]);
  const amended = await world.retry(failed.run_id);
  expect(amended).toMatchObject({
    status: "completed",
    rows: { total: 30, done: 30 },
    calls: 1,
    exported: 30,
  });
  const manifest = JSON.parse(await readFile(join(String(amended.export), "manifest.json"), "utf8"));
  expect(manifest).toMatchObject({ amends: failed.run_id, previous: { export_id: failed.run_id } });
  expect(
    await world.rows(
      "select count(*)::int n, count(distinct fp_id)::int u from cip_reports group by run_id order by 1",
    ),
  ).toEqual([
    { n: 29, u: 29 },
    { n: 30, u: 30 },
  ]);
  expect(
    (await world.store.list("_staging/")).map(({ key }) => key).filter((key) => !key.includes("scratch")),
  ).toEqual([]);
});

test("one report for two members: both fail, neither is written, and an honest retry repairs it", async () => {
  const users = roster();
  const mixed = users.slice(0, 2).map(({ fp_id }) => fp_id);
  for (const fp_id of mixed) world.sandbox.cip.script(fp_id, { fields: { user_id: mixed[0] ?? "" } });
  const lied = await world.run(users, OPTIONS);
  expect(lied).toMatchObject({
    status: "completed_with_failures",
    rows: { total: 30, done: 28, failed: 2 },
    ...{ exported: 28, failed: 2, failures_total: 2 },
  });
  for (const { reason } of lied.failures)
    expect(reason).toMatch(/^another_subject user_id: •••.{4} for 2 members$/);
  const rows = () => world.rows("select fp_id from cip_reports");
  expect((await rows()).filter(({ fp_id }) => mixed.includes(String(fp_id)))).toEqual([]);
  const refused = (await outcomes(lied.export)).filter((line) => line.includes("another_subject"));
  expect(refused).toHaveLength(2);
  expect(refused[0]).toContain("find out what mixes up answers, then nightledger runs retry");
  expect(await world.rows("select count(*)::int n from run_failures")).toEqual([{ n: 2 }]);
  for (const fp_id of mixed) world.sandbox.cip.script(fp_id, {});
  const amended = await world.retry(lied.run_id);
  expect(amended).toMatchObject({ status: "completed", rows: { done: 30 }, calls: 2, exported: 30 });
  expect(await rows()).toHaveLength(58);
});

test("ids of another kind, all different, are taken", async () => {
  const users = roster();
  for (const { fp_id } of users) world.sandbox.cip.script(fp_id, { fields: { user_id: `user_of_${fp_id}` } });
  expect(await world.run(users, OPTIONS)).toMatchObject({ status: "completed", exported: 30 });
});
