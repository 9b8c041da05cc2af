import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { openLake } from "../../../src/lake/lake.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { expectFeedInOrder, expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";
import { addLink, created, liveIds, removed, updated } from "../../helpers/sync/scripted-links.js";

const worlds = onboardWorlds();
const PASSING = { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] } as const;

/** Taken for columns of the tables, for patterns, and for the end of a text. */
const LAKE = "date=2001-01-01/type=credit/link_id=x/fp_id=y/status=z/it's a [b-c]*? 100%25 žluť 🏦/lake";

test("a lake whose path looks like columns and patterns holds what any other does", async () => {
  const world = await worlds.open({ lake: LAKE, direct: false, sandbox: PASSING });
  await mkdir(dirname(world.lake), { recursive: true });
  addLink(world, "a", 0);
  addLink(world, "b", 0);
  world.sandbox.append("a", [created("1", { date: "2026-05-05" }), created("2")]);
  world.sandbox.append("b", [created("3")]);
  await world.sync();
  world.sandbox.append("a", [updated("1", { amount: "7.25" }), removed("2")]);
  await world.sync();
  await world.sync({ full: true });
  expect(await liveIds(world, "a")).toEqual(["1"]);
  expect(await world.rows("select distinct link_id, type from transactions order by all")).toEqual([
    { link_id: "a", type: "debit" },
    { link_id: "b", type: "debit" },
  ]);
  await expectFeedInOrder(world, "a");
  await expectLakeEqualsTruth(world);
  const lake = openLake({ directory: world.lake });
  const { from, to } = await materialize(lake);
  await lake.close();
  expect(from).toBe(to);

  const all = ["k", "l", "m", "n"].map((name) => ({ fp_id: `fp_${name}` }));
  for (const customer of all) world.sandbox.addUser(customer);
  const customers = all.slice(0, 3);
  const batch = await world.onboard(customers);
  expect(batch.summary).toMatchObject({ status: "completed", customers: { total: 3, pass: 3 } });
  expect(await world.outcomes(batch)).toMatchObject(
    customers.map(({ fp_id }) => ({ fp_id, status: "pass" })),
  );
  // A second batch finds its customers in the table, and posts none of them again.
  const again = await world.onboard(all);
  expect(again.summary).toMatchObject({ status: "completed", customers: { total: 4, pass: 4 } });
  expect(world.sandbox.onboardings.list()).toHaveLength(4);
});
