import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { anotherBuild } from "../../helpers/command/another-build.js";
import { runHere } from "../../helpers/command/command-here.js";
import { type ChildCommand, startNode } from "../../helpers/command/command-process.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { auditCalls } from "../../helpers/kill/call-audit.js";
import { auditLake, connectedLinks, rowsOf, withLake } from "../../helpers/lake/lake-audit.js";
import { created } from "../../helpers/sync/scripted-links.js";
import { startConfiguredTemporal } from "../../helpers/temporal/configured-temporal.js";
import { clusterEnv, type TestTemporal } from "../../helpers/temporal/temporal-environment.js";

const FIRST = fileURLToPath(new URL("../../../bin/nightledger.js", import.meta.url));
const ONBOARD = ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc", "--mode", "sync"];
const PAGES = { operation: "sync_transactions" };
const CHUNKS = { operation: "import_transactions" };
const NOT_REPLAYED = /TMPRL1100|[Nn]ondeterminism|Failing workflow task/;

let temporal: TestTemporal;
let directory: string;
let second: string;
let sandbox: Sandbox;
let folder: JobFolder;
let workers: ChildCommand[];
let customers: string[];

beforeAll(async () => {
  // By default Temporal takes minutes to see that nothing is pinned to a version.
  temporal = await startConfiguredTemporal(
    'matching.wv.VersionDrainageStatusVisibilityGracePeriod="1s"',
    'matching.wv.VersionDrainageStatusRefreshInterval="1s"',
  );
  directory = await mkdtemp(join(tmpdir(), "nightledger-builds-"));
  second = await anotherBuild(directory);
});
afterAll(async () => {
  await temporal?.stop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  workers = [];
  sandbox = await startSandbox({
    population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 1_500, seed: 5 },
    playbooks: [{ key: "pb_kyc", outcomes: { incomplete: 1 } }],
    latencyMs: 60,
  });
  folder = await openJobFolder(sandbox, {
    ...clusterEnv(temporal),
    // More than there are links: pages that are held must leave a call for the import, or neither goes on.
    NIGHTLEDGER_API_CONCURRENCY: "16",
    // Calls are held for as long as commands take to start; a busy machine needs more than the default.
    NIGHTLEDGER_API_HEADERS_TIMEOUT_MS: "300000",
  });
});
afterEach(async () => {
  for (const worker of workers) if (worker.running()) await worker.end("SIGKILL");
  await folder.release();
  await sandbox.close();
});

const DEPLOYMENT = "test";

async function start(build: string, buildId: string): Promise<ChildCommand> {
  const version =
    buildId === "" ? {} : { TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT, TEMPORAL_WORKER_BUILD_ID: buildId };
  const worker = startNode(build, ["worker"], { cwd: folder.directory, env: { ...folder.env, ...version } });
  workers.push(worker);
  await worker.says(/working on task queue/);
  return worker;
}

/** What `temporal worker deployment set-current-version` does; Temporal refuses until it has noted the version's worker. */
async function makeCurrent(buildId: string): Promise<void> {
  const { client } = await temporal.client();
  const asked = { namespace: temporal.namespace, deploymentName: DEPLOYMENT, buildId };
  const done = () => client.workflowService.setWorkerDeploymentCurrentVersion(asked).then(() => true);
  await expect.poll(() => done().catch(() => false), { timeout: 60_000 }).toBe(true);
}

async function here(...args: string[]) {
  const { code, stdout, stderr } = await runHere(folder, args);
  expect(code, stdout + stderr).toBe(0);
  return stdout;
}

/** Runs a batch of so many customers, all of whom then wait. */
async function onboard(many: number): Promise<void> {
  customers = Array.from({ length: many }, (_, at) => `c_${String(at).padStart(3, "0")}`);
  for (const fp_id of customers) sandbox.addUser({ fp_id });
  await writeFile(join(folder.directory, "customers.csv"), ["fp_id", ...customers, ""].join("\n"));
  await here(...ONBOARD);
}

/** Starts a sync and an import, and holds their calls in the middle until `release`. */
async function startRuns(name: string) {
  const link = `link_${name}`;
  sandbox.addLink({ fp_id: customers[0] ?? "", id: link, accounts: [{ id: `a_${name}` }] });
  const rows = Array.from({ length: 300 }, (_, at) => `${link},a_${name},${at}.25,2026-11-02`);
  await writeFile(
    join(folder.directory, `${name}.csv`),
    ["link_id,account_id,amount,date", ...rows, ""].join("\n"),
  );
  sandbox.addUser({ fp_id: `u_${name}` });
  for (const id of [`${name}_x`, `${name}_y`]) {
    sandbox.addLink({ fp_id: `u_${name}`, id, accounts: [{ id: `${id}_1` }] });
    const row = (at: number) => created(`${id}_${at}`, { account_id: `${id}_1`, amount: `${at}.50` });
    sandbox.append(
      id,
      Array.from({ length: 1_500 }, (_, at) => row(at)),
    );
  }
  await writeFile(folder.roster, sandbox.rosterCsv());
  // One after the other: chunks that are held would leave no call for pages that are to come.
  const runs: string[] = [];
  const releases: (() => void)[] = [];
  for (const [calls, ...command] of [
    [PAGES, "sync", "--roster", "users.csv", "--page-size", "25"],
    [CHUNKS, "import", "--transactions", `${name}.csv`, "--chunk", "5"],
  ] as const) {
    const asked = sandbox.waitForRequests(12, calls);
    const { run_id } = JSON.parse(await here(...command, "--detach", "--json"));
    await asked;
    runs.push(String(run_id));
    releases.push(sandbox.hold(calls));
  }
  return {
    runs,
    release: () => {
      for (const release of releases) release();
    },
  };
}

/** Each customer was posted once, waited, and passed, in one version of the outcome each. */
async function expectPassedOnce(): Promise<void> {
  const sql =
    "select fp_id, string_agg(status, ', ' order by version) as said from onboardings group by fp_id";
  const rows = await withLake(folder.lake, (query) => rowsOf(query, `${sql} order by fp_id`));
  expect(rows).toEqual(customers.map((fp_id) => ({ fp_id, said: "needs_customer, pass" })));
  expect(customers.filter((user) => sandbox.onboardings.of(user).length !== 1)).toEqual([]);
}

async function arePinned(buildId: string, runs: number): Promise<void> {
  const { client } = await temporal.client();
  const query = `TemporalWorkerDeploymentVersion = "${DEPLOYMENT}:${buildId}" AND TemporalWorkflowVersioningBehavior = "Pinned" AND ExecutionStatus = "Running"`;
  await expect.poll(async () => (await client.workflow.count(query)).count).toBe(runs);
}

test("a new build takes over and the old one ends what is pinned to it, and back again: nothing is lost or repeated", async () => {
  const old = await start(FIRST, "one");
  await makeCurrent("one");
  await onboard(500);
  const { runs, release } = await startRuns("first");
  await arePinned("one", 2);
  const next = await start(second, "two");
  await makeCurrent("two");
  release();
  for (const run of runs) await here("runs", "watch", run);
  await arePinned("one", 0);
  expect((await old.end("SIGTERM")).code).toBe(0);
  expect(auditCalls(sandbox.requests(), [])).toEqual([]);

  const again = await start(FIRST, "one");
  const more = await startRuns("second");
  await arePinned("two", 2);
  await makeCurrent("one");
  more.release();
  for (const run of more.runs) await here("runs", "watch", run);
  await arePinned("two", 0);
  expect((await next.end("SIGTERM")).code).toBe(0);
  expect(auditCalls(sandbox.requests(), [])).toEqual([]);

  // They have waited through both changes.
  for (const { id } of sandbox.onboardings.list()) sandbox.onboardings.finish(id, "pass");
  const settled = JSON.parse(await here(...ONBOARD, "--until", "settled", "--json"));
  expect(settled.customers).toMatchObject({ total: customers.length, pass: customers.length });
  await here("sync", "--roster", "users.csv", "--json");
  expect((await again.end("SIGTERM")).code).toBe(0);
  // The batch and the ledger of imports keep what they need in the staging area.
  const problems = (await auditLake(folder.lake, sandbox)).filter(
    (problem) => !problem.startsWith("staging:"),
  );
  expect(problems).toEqual([]);
  await expectPassedOnce();
  for (const name of ["first", "second"]) {
    const there = sandbox.truth(`link_${name}`).rows.map(({ values }) => `${values?.amount}`);
    expect(there.sort()).toEqual(Array.from({ length: 300 }, (_, at) => `${at}.25`).sort());
  }
  expect(connectedLinks(sandbox).length).toBeGreaterThan(6);
  for (const worker of workers) expect(worker.printed().stderr).not.toMatch(NOT_REPLAYED);
});

test("from workers without versions to the first version, and back to none: what is open continues", async () => {
  const plain = await start(FIRST, "");
  await onboard(3);
  const { runs, release } = await startRuns("first");
  release();
  expect((await plain.end("SIGTERM")).code).toBe(0);
  const versioned = await start(FIRST, "one");
  await makeCurrent("one");
  for (const run of runs) await here("runs", "watch", run);
  expect(auditCalls(sandbox.requests(), [])).toEqual([]);

  await makeCurrent("");
  await start(FIRST, "");
  expect((await versioned.end("SIGTERM")).code).toBe(0);
  for (const { id } of sandbox.onboardings.list()) sandbox.onboardings.finish(id, "pass");
  await here(...ONBOARD, "--until", "settled");
  await expectPassedOnce();
  for (const worker of workers) expect(worker.printed().stderr).not.toMatch(NOT_REPLAYED);
});
