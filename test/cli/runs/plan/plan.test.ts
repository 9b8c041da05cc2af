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

// Each row counted as one request, so the first write into vaults cost twice what its plan said.
test("before any run has shown more, a row of a bulk job costs the requests that it needs", async () => {
  const lake = await lakeOfRows({ runs: [run("onboard-1", 250)] });
  try {
    const env = {
      NIGHTLEDGER_LAKE: lake.directory,
      NIGHTLEDGER_API_URL: "http://127.0.0.1:1",
      NIGHTLEDGER_API_KEY: "sk_test_1",
      NIGHTLEDGER_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
    };
    const planned = async (file: string, rows: readonly string[], ...job: readonly string[]) => {
      await writeFile(join(lake.directory, file), rows.join("\n"));
      const { stdout } = await runHere({ directory: lake.directory, env }, ["plan", "--json", ...job]);
      return JSON.parse(stdout).forecast.calls;
    };
    const values = ["fp_id,id.email", "fp_1,a@example.com", "fp_2,b@example.com"];
    expect(await planned("values.csv", values, "vault", "write", "--file", "values.csv")).toBe(4);
    const fields = ["--roster", "users.csv", "--fields", "id.email", "--reason", "review"];
    expect(await planned("users.csv", ["fp_id", "fp_1"], "export", "vault", ...fields)).toBe(2);
    expect(await planned("users.csv", ["fp_id", "fp_1"], "reconcile", "--roster", "users.csv")).toBe(1);
  } finally {
    await lake.release();
  }
});
