import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runHere } from "../../helpers/command/command-here.js";
import { lakeOfRows } from "../../helpers/query/lake-of-rows.js";

const [KEPT, GONE] = ["a", "b"].map((digit) => `onb_${digit.repeat(24)}`) as [string, string];
const settled = (batch_id: string) => ({
  ...{ batch_id, line: 2, attempt: 1, version: 1, fp_id: "fp_x", status: "pass" },
  settled_at: "2026-01-10T02:00:00Z",
});

let lake: Awaited<ReturnType<typeof lakeOfRows>>;
beforeEach(async () => {
  lake = await lakeOfRows({
    onboardings: [settled(KEPT), settled(GONE)],
    runs: [{ run_id: "onboard-20260110T020000Z-abcdef", job_id: KEPT, kind: "onboard" }],
  });
  await mkdir(join(lake.directory, "_staging", KEPT), { recursive: true });
});
afterEach(() => lake.release());

const forget = (...more: readonly string[]) =>
  runHere({ directory: lake.directory, env: { NIGHTLEDGER_LAKE: "." } }, [
    ...["forget", "fp_x", "--reason", "asked for it", "--by", "privacy", ...more],
  ]);

// It reported success, and the customers file of an ended batch still had the person.
test("the staging of an ended batch that still holds the person is named", async () => {
  const { stdout } = await forget("--dry-run", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ batches: [KEPT] });
  const { code, stderr } = await forget();
  expect(stderr).toContain(`_staging/${KEPT}/ of the lake holds what the batch was given of fp_x`);
  expect(stderr).not.toContain(GONE);
  expect(code).toBe(0);
});
