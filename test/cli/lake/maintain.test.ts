import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../../../src/cli/main.js";
import { schemaActions } from "../../../src/lake/delta/delta-schema.js";
import { openLake } from "../../../src/lake/lake.js";
import { runs } from "../../../src/lake/tables/runs.js";
import { webhookEvents } from "../../../src/lake/tables/webhook-events.js";
import { runHere, terminalIn } from "../../helpers/command/command-here.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";

test("a damaged table makes the exit code 1, and the others are maintained", async () => {
  const { directory, release } = await openTestLake();
  const lake = openLake({ directory });
  for (const spec of [runs, webhookEvents])
    await lake.table(spec.name).commit((snapshot) => schemaActions(spec, snapshot, 0));
  await lake.close();
  const maintained = () =>
    runHere({ directory, env: { NIGHTLEDGER_LAKE: directory } }, ["maintain", "--json"]);
  // It said of each table that it is done.
  const { terminal, said } = terminalIn({ directory, env: { NIGHTLEDGER_LAKE: directory } });
  await main(["node", "nightledger", "maintain", "--dry-run"], { ...terminal, interactive: true });
  expect(said).toMatchObject({ stdout: expect.stringContaining("nothing was changed"), stderr: "" });
  expect(await maintained()).toMatchObject({ code: 0 });
  await writeFile(join(directory, "runs/_delta_log/00000000000000000001.json"), "not json\n");
  const { code, stdout, stderr } = await maintained();
  expect(code).toBe(1);
  expect(stderr).toMatch(/^warning: Version 1 of table runs is not a Delta commit/m);
  const { tables, left_alone } = JSON.parse(stdout);
  expect(left_alone).toMatchObject([{ table: "runs", by_owner: false }]);
  expect(tables).toMatchObject([{ table: "webhook_events" }]);
  await release();
});
