import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApplicationFailure, CancelledFailure } from "@temporalio/activity";
import { MockActivityEnvironment } from "@temporalio/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { watchedActivities } from "../../src/activities/create-activities.js";
import { RunWarnings } from "../../src/activities/run-warnings.js";
import { createLogger, type LogHandle } from "../../src/logger.js";
import { linesOf, SILENT } from "../helpers/temporal/activity-bench.js";

const AT = Date.parse("2026-11-22T02:00:00Z");
const LINK = { link_id: "link_1" };

let directory: string;
let log: LogHandle;
let warnings: RunWarnings;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nightledger-warnings-"));
  log = createLogger({ destination: { file: join(directory, "log") }, level: "info", secrets: [] });
  warnings = new RunWarnings(log.logger);
});
afterEach(() => {
  log.close();
  rmSync(directory, { recursive: true, force: true });
});

const lines = () =>
  linesOf(join(directory, "log")).map(({ time, pid, ...rest }): Record<string, unknown> => rest);
const transient = (reason: string, retryAfterMs: number | null = null) =>
  ({ kind: "transient", reason, retryAfterMs }) as const;

test("a link that waits is in the log at its first failure, at each change of the reason, and when it continues", () => {
  const streak = (count: number) => ({ count, since: AT - 60_000 });
  warnings.logOutcome("run", LINK, transient("http_503"), null, AT);
  for (const count of [1, 2, 3]) warnings.logOutcome("run", LINK, transient("http_503"), streak(count), AT);
  warnings.logOutcome("run", LINK, { kind: "open" }, streak(4), AT);
  warnings.logOutcome("run", LINK, transient("http_429", 120_000), streak(4), AT);
  warnings.logOutcome("run", LINK, { kind: "open" }, null, AT);
  warnings.logOutcome("run", LINK, { kind: "complete" }, null, AT);
  const told = { run_id: "run", link_id: "link_1" };
  expect(lines()).toEqual([
    {
      ...{ level: "warn", ...told, reason: "http_503", failures: 1 },
      ...{ tried_again_by: "2026-11-22T02:00:01.000Z", gives_up_at: "2026-11-22T03:00:00.000Z" },
      msg: "waiting for its next retry",
    },
    {
      ...{ level: "warn", ...told, reason: "http_429", failures: 5 },
      ...{ tried_again_by: "2026-11-22T02:02:00.000Z", gives_up_at: "2026-11-22T02:59:00.000Z" },
      msg: "waiting for its next retry",
    },
    { level: "info", ...told, msg: "continues after failures" },
  ]);
});

test("the failure that gives a link up is left to its commit, and another run's begins again", () => {
  warnings.logOutcome("run", LINK, transient("timeout"), { count: 40, since: AT - 3_600_000 }, AT);
  expect(lines()).toEqual([]);
  for (const run of ["run", "other"]) warnings.logOutcome(run, LINK, transient("timeout"), null, AT);
  expect(lines().map(({ run_id }) => run_id)).toEqual(["run", "other"]);
});

test("refusals: of a request once for each status, of the credentials once a run", () => {
  for (const status of [400, 400, 422])
    warnings.logOutcome("run", LINK, { kind: "rejected", status }, null, AT);
  for (const link_id of ["a", "b"])
    warnings.logOutcome("run", { link_id }, { kind: "unauthorized" }, null, AT);
  expect(lines()).toMatchObject([
    { level: "warn", link_id: "link_1", status: 400, msg: "the service refused its request" },
    { level: "warn", link_id: "link_1", status: 422 },
    { level: "error", link_id: "a", msg: "the service refused the credentials; the run stops" },
  ]);
});

test("a user that fails is named with the reason, and a link that goes well is not", () => {
  warnings.logOutcome(
    "run",
    { fp_id: "fp_1" },
    { kind: "failed", reason: "bank_links: user not found" },
    null,
    AT,
  );
  warnings.logOutcome("run", LINK, { kind: "complete" }, null, AT);
  expect(lines()).toEqual([
    { level: "warn", run_id: "run", fp_id: "fp_1", reason: "bank_links: user not found", msg: "failed" },
  ]);
});

test("an activity that fails is in the log with its ids and what is known of its request, each reason once", async () => {
  const failures: Error[] = [];
  const { postOnboarding } = watchedActivities(
    { postOnboarding: async (_: { readonly runId: string }) => Promise.reject(failures.shift()) },
    warnings,
    async () => undefined,
  );
  const fails = (attempt: number, error: Error) => {
    failures.push(error);
    const environment = new MockActivityEnvironment({ attempt }, { logger: SILENT });
    return expect(environment.run(() => postOnboarding({ runId: "onboard-1" }))).rejects.toBe(error);
  };
  const refused = ApplicationFailure.create({
    type: "RejectedError",
    message: "refused",
    details: [{ operation: "create_onboarding", status: 400, sent: true }],
  });
  await fails(1, refused);
  await fails(2, refused);
  await fails(3, new Error("No space left to write /lake/a"));
  await fails(4, new Error("No space left to write /lake/b"));
  await fails(5, new CancelledFailure("WORKER_SHUTDOWN"));
  expect(lines()).toMatchObject([
    {
      ...{
        level: "warn",
        run_id: "onboard-1",
        activity: "postOnboarding",
        attempt: 1,
        class: "RejectedError",
      },
      ...{ operation: "create_onboarding", status: 400, workflow_id: expect.any(String) },
      msg: "a step failed: refused",
    },
    { attempt: 3, msg: "a step failed: No space left to write /lake/a" },
  ]);
  expect(lines()).toHaveLength(2);
});
