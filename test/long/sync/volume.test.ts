import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { expectCurrentState } from "../../helpers/lake/lake-truth.js";
import { addLink } from "../../helpers/sync/scripted-links.js";
import type { SyncWorld } from "../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

async function historyOf(world: SyncWorld, workflowId: string): Promise<{ events: number; bytes: number }> {
  const { historyLength, historySize } = await world.client.workflow.getHandle(workflowId).describe();
  return { events: historyLength, bytes: historySize ?? 0 };
}

test("thousands of small links: every row is there, and the histories stay small", async () => {
  const world = await worlds.open({ direct: true, api: { concurrency: 32 } });
  const users = 50;
  const linksPerUser = 50;
  for (let user = 0; user < users; user += 1) {
    const fp_id = `fp_${String(user).padStart(3, "0")}`;
    for (let n = 0; n < linksPerUser; n += 1) addLink(world, `${fp_id}_${n}`, 20, fp_id);
  }
  const { result, workflowId } = await world.sync();
  const links = users * linksPerUser;
  expect(result).toMatchObject({
    status: "completed",
    links: { synced: links },
    rows: { created: links * 20 },
    calls: links + users * 2,
  });
  expect((await world.rows("select count(*) as n from transactions"))[0]?.n).toBe(links * 20);
  await expectCurrentState(world);
  const run = await historyOf(world, workflowId);
  expect(run.events).toBeLessThan(200);
  expect(run.bytes).toBeLessThan(1_000_000);
  const again = await world.sync();
  expect(again.result).toMatchObject({ links: { unchanged: links }, calls: links + users * 2 });
});

const BERKA = process.env.NIGHTLEDGER_TEST_BERKA_DIR ?? "../shared/data/berka";

test.skipIf(!existsSync(BERKA))(
  `the real bank data (${BERKA}): every row, and the sum of every account to the last digit`,
  async () => {
    const world = await worlds.open({
      direct: true,
      api: { concurrency: 32 },
      sandbox: { population: { kind: "berka", directory: BERKA }, recordRequests: 0 },
    });
    const { result } = await world.sync({ streams: ["transactions"] });
    expect(result).toMatchObject({
      status: "completed",
      rows: { created: 49_102, updated: 0, removed: 0, quarantined: 0 },
    });
    const rows = await world.rows(
      "select account_id, count(*) as rows, sum(amount) as amount, sum(signed_amount) as signed_amount from transactions group by all",
    );
    const lake = new Map(rows.map(({ account_id, ...sums }) => [String(account_id), sums]));
    const truth = world.sandbox
      .totals()
      .map(
        ({ account_id, rows: count, amount, signed_amount }) =>
          [account_id, { rows: count, amount, signed_amount }] as const,
      );
    expect(lake).toEqual(new Map(truth));
    await expectCurrentState(world);
  },
);
