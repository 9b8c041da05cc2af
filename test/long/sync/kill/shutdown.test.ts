import { expect, test } from "vitest";
import { startSandbox } from "../../../../sandbox/index.js";
import type { ChildCommand } from "../../../helpers/command/command-process.js";
import { openJobFolder } from "../../../helpers/command/job-folder.js";
import { eachTest } from "../../../helpers/each-test.js";
import { auditCalls } from "../../../helpers/kill/call-audit.js";
import { auditLake } from "../../../helpers/lake/lake-audit.js";
import { neverReadyCli } from "../../../helpers/temporal/never-ready-cli.js";

const CONCURRENCY = 3;
const STOPS_WITHIN_MS = 10_000;
const PAGES = { operation: "sync_transactions" };

const sandbox = eachTest(() =>
  startSandbox({
    population: { kind: "synthetic", users: 2, linksPerUser: 3, rows: 1_000, seed: 4 },
    latencyMs: 60,
  }),
);
const folder = eachTest(() => openJobFolder(sandbox, { NIGHTLEDGER_API_CONCURRENCY: String(CONCURRENCY) }));

const sync = () => folder.sync("--page-size", "50");

async function runIdOf(command: ChildCommand): Promise<string> {
  return (await command.says(/^(?:joined )?run (sync-[\w-]+)/m))[1] ?? "";
}

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s in mid-sync ends within seconds, sends no further call, and the same command continues",
  async (signal) => {
    const arrived = sandbox.waitForRequests(30, PAGES);
    const first = sync();
    await arrived;
    const release = sandbox.hold(PAGES);
    const runId = await runIdOf(first);
    const callsAtSignal = sandbox.calls().total;
    const signalledAt = Date.now();
    const { code, stdout, stderr, at } = await first.end(signal);
    release();
    expect(at - signalledAt).toBeLessThan(STOPS_WITHIN_MS);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ run_id: runId, status: "paused" });
    const [, pages] =
      /^staged: (\d+) pages? of \d+ (?:other )?links?, which will not be requested again$/m.exec(stderr) ??
      [];
    expect(Number(pages), stderr).toBeGreaterThan(0);
    expect(stderr).toMatch(
      /^interrupted: the progress of run sync-\S+ is saved\. Continue it with:\n {2}nightledger sync --roster users\.csv --json --page-size 50$/m,
    );
    expect(folder.servers(), "no Temporal server is left").toEqual([]);
    // Calls that were about to be sent when the signal came: at most one per concurrent call.
    expect(sandbox.calls().total - callsAtSignal).toBeLessThanOrEqual(CONCURRENCY);
    const resumedAt = Date.now();
    expect(sandbox.requests().filter((request) => request.at > at)).toEqual([]);

    const second = sync();
    expect(await runIdOf(second)).toBe(runId);
    const end = await second.ended;
    expect(end.stderr).not.toMatch(/tried again|workflow|activity|WORKER/i);
    expect(end.code, end.stderr).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({ run_id: runId, status: "completed" });
    expect(auditCalls(sandbox.requests(), [{ resumedAt, survived: false }])).toEqual([]);
    expect(await auditLake(folder.lake, sandbox)).toEqual([]);
  },
);

test("SIGINT while the Temporal server starts ends within seconds and leaves no server", async () => {
  const cli = await neverReadyCli(folder.directory);
  const first = folder.command(["sync", "--roster", "users.csv", "--json"], { TEMPORAL_CLI_PATH: cli });
  await expect.poll(() => folder.servers(), { interval: 5 }).toHaveLength(1);
  const signalledAt = Date.now();
  const { code, stdout, at } = await first.end("SIGINT");
  expect(at - signalledAt).toBeLessThan(STOPS_WITHIN_MS);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    error: { class: "InterruptedError", message: expect.stringMatching(/Nothing was started/) },
  });
  expect(folder.servers()).toEqual([]);
  expect(sandbox.calls().by_operation.sync_transactions ?? 0).toBe(0);
});

test("a second command joins the run on the same server, as it was started, and continues when the first is stopped", async () => {
  const arrived = sandbox.waitForRequests(5, PAGES);
  const first = sync();
  await arrived;
  const release = sandbox.hold(PAGES);
  const runId = await runIdOf(first);
  const [server] = folder.servers();
  const second = folder.sync("--page-size", "30");
  await second.says(new RegExp(`joined run ${runId}`));
  expect(folder.servers()).toEqual([server]);
  const { code } = await first.end("SIGINT");
  expect(code).toBe(1);
  expect(folder.servers()).toEqual([server]);
  release();
  const end = await second.ended;
  expect(end.code, end.stderr).toBe(0);
  expect(JSON.parse(end.stdout)).toMatchObject({ run_id: runId, status: "completed" });
  expect(end.stderr).toContain(
    "--page-size 30 is not used: the run that this command joined was started with 50",
  );
  expect(new Set(sandbox.requests(PAGES).map(({ query }) => query.size))).toEqual(new Set(["50"]));
  expect(folder.servers(), "the last command stops the server").toEqual([]);
  expect(await auditLake(folder.lake, sandbox)).toEqual([]);
});
