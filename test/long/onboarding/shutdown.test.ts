import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { rowsOf, withLake } from "../../helpers/lake/lake-audit.js";

const WINDOW = 5;
const POSTS = { operation: "create_onboarding" };
const users = Array.from({ length: 20 }, (_, at) => `fp_${at + 1}`);

const sandbox = eachTest(() =>
  startSandbox({ playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }], latencyMs: 100 }),
);
let folder: JobFolder;

beforeEach(async () => {
  for (const fp_id of users) sandbox.addUser({ fp_id });
  folder = await openJobFolder(sandbox);
  await writeFile(join(folder.directory, "customers.csv"), ["fp_id", ...users, ""].join("\n"));
});
afterEach(async () => {
  await folder.release();
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s in mid-batch ends in order, sends no further call, and the same command continues",
  async (signal) => {
    const args = ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc", "--mode", "sync"];
    // A request whose answer was lost is sent again only when the service had its time for it: let that be short.
    args.push("--sync-timeout", "5");
    const onboard = () => folder.command([...args, "--window", String(WINDOW), "--json"]);
    const arrived = sandbox.waitForRequests(8, POSTS);
    const first = onboard();
    await arrived;
    const release = sandbox.hold(POSTS);
    const [, runId] = await first.says(/^run (onboard-[\w-]+)/m);
    const callsAtSignal = sandbox.calls().total;
    const ended = first.end(signal);
    release();
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ run_id: runId, status: "paused" });
    expect(stderr).toContain(
      `Continue it with:\n  nightledger ${args.join(" ")} --window ${WINDOW} --json\n`,
    );
    expect(folder.servers(), "no Temporal server is left").toEqual([]);
    // Calls that were about to be sent when the signal came: at most one a customer of the window.
    expect(sandbox.calls().total - callsAtSignal).toBeLessThanOrEqual(WINDOW);
    expect(sandbox.onboardings.list().length, "rows are left").toBeLessThan(users.length);

    const second = onboard();
    expect((await second.says(/^joined run (onboard-[\w-]+)/m))[1]).toBe(runId);
    const end = await second.ended;
    expect(end.code, end.stderr).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({
      run_id: runId,
      customers: { total: users.length, pass: users.length },
    });
    expect(
      sandbox.onboardings
        .list()
        .map(({ entity_id }) => entity_id)
        .sort(),
    ).toEqual([...users].sort());
    const outcomes = await withLake(folder.lake, (query) =>
      rowsOf(query, "select distinct fp_id, onboarding_id, status from onboardings"),
    );
    expect(outcomes.map(({ fp_id, status }) => `${fp_id} ${status}`).sort()).toEqual(
      users.map((user) => `${user} pass`).sort(),
    );
  },
);
