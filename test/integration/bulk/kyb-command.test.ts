import { expect, test } from "vitest";
import { commandWorld } from "../../helpers/command/command-world.js";

const world = commandWorld({ businesses: 5, businessOnboardings: 2, clock: { frozen: true } });

test("export kyb is a command, and its run is shown and listed", async () => {
  world.sandbox.businesses.add({ fp_bid: "fp_bid_new" });
  const ids = world.sandbox.businesses.list().map(({ id }) => id);
  await world.write("businesses.csv", `${["fp_bid", ...ids].join("\n")}\n`);
  const { code, said } = await world.say("export", "kyb", "--businesses", "businesses.csv");
  expect({ code, said }).toMatchObject({
    code: 0,
    said: { job: "kyb", status: "completed", rows: { total: 6, skipped: 1 } },
  });
  const skipped = { status: "skipped", reason: "no_onboarding", count: 1, examples: ["fp_bid_new"] };
  const shown = await world.say("runs", "show", said.run_id);
  expect(shown.said).toMatchObject({ run_id: said.run_id, kind: "kyb", findings: [skipped] });
  const { stdout } = await world.run(...["runs", "show", said.run_id]);
  expect(stdout).toContain("counts    6 businesses, 1 skipped\n");
  const listed = await world.say("runs", "list");
  expect(JSON.stringify(listed.said)).toContain(said.run_id);
});
