import { dirname } from "node:path";
import { expect, test } from "vitest";
import { runHere, sayHere } from "../../helpers/command/command-here.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";
import { clusterEnv } from "../../helpers/temporal/temporal-environment.js";

const worlds = onboardWorlds();
const PLAYBOOKS = { sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] } };
const SYNC = { mode: "sync" } as const;
const { NIGHTLEDGER_ENCRYPTION_KEYS } = clusterEnv({ address: "" });
const KEYS = { NIGHTLEDGER_ENCRYPTION_KEYS };

// The lake kept what the file said of the person, and the same file made the person's rows anew.
test("a forgotten customer goes out of the staging too, and the same file does not bring the person back", async () => {
  const world = await worlds.open(PLAYBOOKS);
  const rows = world.users(3, (n) => ({ "vault.id.first_name": `Name${n}` }));
  const { batchId } = await world.onboard(rows, SYNC);
  const staged = async () => {
    const entries = await world.store.list("_staging/");
    const keys = entries.map(({ key }) => key).filter((key) => key.includes("onb"));
    return Promise.all(keys.map(async (key) => String(await world.sealed.getBytes(key))));
  };
  expect(await staged()).toEqual(expect.arrayContaining([expect.stringMatching(/"fp_2"|Name2/)]));
  const folder = { directory: dirname(world.lake), env: { NIGHTLEDGER_LAKE: world.lake, ...KEYS } };
  const asked = ["forget", "fp_2", "--reason", "asked for it", "--by", "privacy", "--yes"];
  const { said } = await sayHere(folder, ...asked, "--dry-run");
  expect(said.batches).toEqual([batchId]);
  expect((await staged()).join()).toContain("Name2");
  const { code, stdout } = await runHere(folder, asked);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(`erased 1 row of the file of batch ${batchId}`),
  ]);
  expect((await staged()).join()).not.toMatch(/"fp_2"|Name2/);
  expect((await staged()).join()).toContain("Name3");
  world.sandbox.clearRequests();
  // The worker has read the file before.
  const again = await world.onboard(rows, SYNC);
  expect(again.summary).toMatchObject({ customers: { total: 3, pass: 2, invalid: 1 }, calls: 0 });
  expect(world.sandbox.calls().total).toBe(0);
  const csv = String(await world.store.get(`_batches/${batchId}/outcomes.csv`));
  expect(csv.split("\n")[2]).toMatch(/^2,.*,invalid,.*,its customer was forgotten,/);
  expect(await world.outcomes(again)).toMatchObject([{ fp_id: "fp_1" }, { fp_id: "fp_3" }]);
});
