import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../../../helpers/command/command-here.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const at = "2026-11-21T02:00:00.000Z";
const run = (run_id: string, calls: number) => ({
  ...{ run_id, kind: "onboard", job_id: "onb_1", status: "completed", users: 100, calls },
  ...{ started_at: at, finished_at: at },
});
const outcome = (run_id: string, line: number) => ({
  ...{ batch_id: "onb_1", run_id, line, attempt: 1, version: 1, status: "pass", settled_at: at },
});
const LINES = Array.from({ length: 100 }, (_, index) => index + 2);

// A retry of one row counted a hundred, so a plan after ten retries said a tenth of what a batch costs.
test("what a customer costs is learnt from the rows that runs worked on, and is no less than its requests", async () => {
  const lake = await lakeOfRows({
    runs: [run("onboard-1", 250), run("onboard-2", 3), run("onboard-3", 2)],
    onboardings: [
      ...LINES.map((line) => outcome("onboard-1", line)),
      ...["onboard-2", "onboard-3"].map((id) => outcome(id, 7)),
    ],
  });
  try {
    const env = {
      NIGHTLEDGER_LAKE: lake.directory,
      NIGHTLEDGER_API_URL: "http://127.0.0.1:1",
      NIGHTLEDGER_API_KEY: "sk_test_1",
    };
    const planned = async (rows: readonly string[]) => {
      await writeFile(join(lake.directory, "customers.csv"), rows.join("\n"));
      const job = ["onboard", "--customers", "customers.csv", "--playbook", "pb_1"];
      const folder = { directory: lake.directory, env };
      return JSON.parse((await runHere(folder, ["plan", "--json", ...job])).stdout).forecast.calls;
    };
    const ids = LINES.map((line) => `fp_${line}`);
    expect(await planned(["fp_id", ...ids])).toBe(250);
    expect(await planned(["fp_id,vault.id.dob", ...ids.map((id) => `${id},1990-01-01`)])).toBe(400);
  } finally {
    await lake.release();
  }
});
