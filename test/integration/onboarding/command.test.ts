import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { afterAll, afterEach, expect, test } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../sandbox/index.js";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere, sayHere } from "../../helpers/command/command-here.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

const releases: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

interface CommandWorld {
  readonly sandbox: Sandbox;
  readonly folder: JobFolder;
  /** Runs `onboard` on customers.csv to its end, in this process. */
  onboard(...more: string[]): Promise<{ code: number; summary: OnboardSummary; stderr: string }>;
}

/** A folder with `customers.csv`, naming so many users of a stand-in; commands in it use a cluster. */
const open = (users: number, options?: SandboxOptions) =>
  openWith((sandbox) => openClusterFolder(sandbox, temporal), users, options);
/** The same without a cluster: each command has its own Temporal server and worker. */
const openEmbedded = (users: number, options?: SandboxOptions) => openWith(openJobFolder, users, options);

async function openWith(
  openFolder: (sandbox: Sandbox) => Promise<JobFolder>,
  users: number,
  options: SandboxOptions = {},
): Promise<CommandWorld> {
  const sandbox = await startSandbox(options);
  releases.push(() => sandbox.close());
  const ids = Array.from({ length: users }, (_, at) => `fp_${at + 1}`);
  for (const fp_id of ids) sandbox.addUser({ fp_id });
  const folder = await openFolder(sandbox);
  releases.push(() => folder.release());
  await writeFile(join(folder.directory, "customers.csv"), ["fp_id", ...ids, ""].join("\n"));
  return {
    sandbox,
    folder,
    async onboard(...more) {
      const { code, stdout, stderr } = await runHere(folder, [...ONBOARD, ...more]);
      return { code, stderr, summary: JSON.parse(stdout) };
    },
  };
}

const ONBOARD = ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc", "--json"];
const PASS = { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] } as const;

const WITH_OUTPUT = { ...PASS.playbooks[0], output: { risk: "low" } };

test("a batch from its file to its summary, table and CSV: exit 0; again: nothing is posted", async () => {
  const { sandbox, folder } = await openEmbedded(3, { playbooks: [WITH_OUTPUT] });
  const onboard = async () => {
    const { code, stdout } = await folder.command([...ONBOARD, "--mode", "sync"]).ended;
    return { code, summary: JSON.parse(stdout) as OnboardSummary };
  };
  const first = await onboard();
  expect(first.code).toBe(0);
  expect(first.summary).toMatchObject({
    batch_id: expect.stringMatching(/^onb_[0-9a-f]{24}$/),
    run_id: expect.stringMatching(/^onboard-/),
    status: "completed",
    customers: { total: 3, pass: 3, queued: 0, running: 0 },
    manual_review: 0,
    calls: 3,
    duration_ms: expect.any(Number),
  });
  const csv = await readFile(join(folder.lake, "_batches", first.summary.batch_id, "outcomes.csv"), "utf8");
  expect(csv.trim().split("\n")).toHaveLength(4);
  const [asked] = (await sayHere(folder, "query", "select command, options from runs")).said;
  expect(asked.command).toBe(["nightledger", ...ONBOARD, "--mode", "sync"].join(" "));
  expect(JSON.parse(asked.options)).toMatchObject({ mode: "sync", deadline_secs: 14 * 86_400 });
  sandbox.clearRequests();
  const second = await onboard();
  expect(second).toMatchObject({ code: 0, summary: { calls: 0, customers: { pass: 3 } } });
  // What the command asks for before a run does not count as its call.
  expect(sandbox.calls().by_operation).toEqual({ get_user: 1 });
});

test("a limit below what a batch has reached takes nothing back, neither counts nor CSV", async () => {
  const { onboard, sandbox, folder } = await open(3, { playbooks: [{ ...PASS.playbooks[0] }] });
  await onboard("--mode", "sync", "--limit", "2");
  const { summary } = await onboard("--mode", "sync", "--limit", "1");
  expect(summary).toMatchObject({ calls: 0, customers: { total: 2, pass: 2 } });
  const csv = await readFile(join(folder.lake, "_batches", summary.batch_id, "outcomes.csv"), "utf8");
  expect(csv.trim().split("\n")).toHaveLength(3);
  expect(sandbox.onboardings.list()).toHaveLength(2);
});

test("what failed is exit 1, and runs retry runs it; a batch that does not run can't be steered", async () => {
  const { onboard, sandbox, folder } = await open(2, { playbooks: [{ ...PASS.playbooks[0] }] });
  sandbox.addFault({ kind: "status", status: 422, operation: "create_onboarding", user: "fp_2", times: 1 });
  const first = await onboard("--mode", "sync");
  expect(first).toMatchObject({
    code: 1,
    summary: { status: "completed_with_failures", customers: { failed: 1 } },
  });
  const id = first.summary.batch_id;
  const retried = await runHere(folder, ["runs", "retry", id, "--json"]);
  expect(retried.code).toBe(0);
  expect(JSON.parse(retried.stdout)).toMatchObject({ batch_id: id, customers: { total: 2, pass: 2 } });
  const steered = await runHere(folder, ["runs", "cancel", id, "--json"]);
  expect(steered.code).toBe(2);
  expect(JSON.parse(steered.stdout)).toMatchObject({
    error: { class: "InputError", message: expect.stringContaining("not running") },
  });
});

test("a paused batch ends its command with 1 and says why; runs resume continues it", async () => {
  const error = { key: "pb_kyc", outcomes: { error: 1 }, errorMessage: "no such branch" } as const;
  const { onboard, sandbox, folder } = await open(12, { playbooks: [error] });
  const paused = await onboard("--mode", "sync", "--circuit", "3", "--window", "1");
  expect(paused).toMatchObject({ code: 1, summary: { status: "paused" } });
  expect(paused.stderr).toContain("in a row ended with the same error");
  const still = await onboard("--mode", "sync", "--circuit", "3", "--window", "1");
  expect(still).toMatchObject({ code: 1, summary: { status: "paused" } });
  sandbox.playbooks.declare(PASS.playbooks[0]);
  const resumed = await runHere(folder, ["runs", "resume", paused.summary.batch_id, "--json"]);
  const { customers } = JSON.parse(resumed.stdout) as OnboardSummary;
  expect(customers.error + customers.pass).toBe(12);
  expect(customers.pass).toBeGreaterThan(6);
  expect(resumed.code).toBe(1);
});

test("refused credentials midway are exit 4, and the batch continues once they are good", async () => {
  const { onboard, sandbox } = await open(8, {
    playbooks: [{ ...PASS.playbooks[0], delayMs: 300 }],
  });
  const asked = sandbox.waitForRequests(4, { operation: "create_onboarding" });
  const first = onboard("--window", "2");
  await asked;
  sandbox.revokeKey();
  expect(await first).toMatchObject({ code: 4, summary: { status: "paused" } });
  sandbox.addKey(sandbox.apiKey);
  const second = await onboard("--window", "10");
  expect(second).toMatchObject({ code: 0, summary: { customers: { total: 8, pass: 8 } } });
  expect(sandbox.onboardings.list()).toHaveLength(8);
});

test("--until settled waits for customers too, and the CSV says what came of them", async () => {
  const { sandbox, folder } = await open(2, {
    playbooks: [{ key: "pb_kyc", outcomes: { incomplete: 1 } }],
  });
  const waiting = folder.command([...ONBOARD, "--mode", "sync", "--until", "settled"]);
  // Its run has ended, and has written the CSV.
  await waiting.says(/waiting for customers and reviewers/);
  for (const { id } of sandbox.onboardings.list()) sandbox.onboardings.finish(id, "pass");
  const { code, stdout } = await waiting.ended;
  const summary = JSON.parse(stdout) as OnboardSummary;
  expect({ code, ...summary }).toMatchObject({ code: 0, customers: { pass: 2, needs_customer: 0 } });
  const csv = await readFile(join(folder.lake, "_batches", summary.batch_id, "outcomes.csv"), "utf8");
  const rows = parse(csv, { columns: true }) as Record<string, string>[];
  expect(rows).toMatchObject([
    { line: "2", status: "pass", version: "2", settled_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    { line: "3", status: "pass", version: "2" },
  ]);
});

test("links of a continuation file are read with the keys that sealed them", async () => {
  const { onboard, sandbox, folder } = await openEmbedded(1, {
    playbooks: [{ key: "pb_kyc", outcomes: { incomplete: 1 } }],
  });
  const first = await onboard("--mode", "sync", "--continuations", "links.jsonl");
  expect(first).toMatchObject({ code: 0, summary: { customers: { needs_customer: 1 } } });
  await appendFile(join(folder.directory, "links.jsonl"), '{"delivery_id":"cut sho');
  const { code, stdout, stderr } = await runHere(folder, ["runs", "links", "links.jsonl"]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/1 of the lines of links\.jsonl were cut short.*line 2/);
  expect(JSON.parse(stdout)).toMatchObject({
    fp_id: "fp_1",
    token: sandbox.onboardings.list()[0]?.continuation?.token,
  });
});

test.for([
  ["a wrong row", [], /line 2, column external_id/],
  ["a time-out in asynchronous mode", ["--sync-timeout", "5"], /only in --mode sync/],
] as const)("%s is exit 2, at once, and leaves nothing", async ([, more, words]) => {
  const { sandbox, folder, onboard } = await openEmbedded(1, PASS);
  await writeFile(join(folder.directory, "customers.csv"), "fp_id,external_id\nfp_1,c-1\n");
  const before = await readdir(folder.directory);
  const { code, summary } = await onboard(...more);
  expect({ code, summary }).toMatchObject({
    code: 2,
    summary: { error: { message: expect.stringMatching(words) } },
  });
  expect(sandbox.calls().total).toBe(0);
  expect(await readdir(folder.directory)).toEqual(before);
});

test("--validate-only judges the file and calls nothing; --continue-invalid runs the rest", async () => {
  const { sandbox, folder, onboard } = await open(2, { playbooks: [{ ...PASS.playbooks[0] }] });
  expect(await onboard("--validate-only")).toMatchObject({ code: 0, summary: { status: "valid" } });
  await writeFile(join(folder.directory, "customers.csv"), "fp_id\nfp_1\na/b\nfp_2\n");
  expect(await onboard("--validate-only")).toMatchObject({
    code: 2,
    summary: { status: "invalid", customers: { total: 3, invalid: 1, done: 0 } },
  });
  expect(sandbox.calls().total).toBe(0);
  const { code, summary } = await onboard("--continue-invalid", "--mode", "sync");
  expect(code).toBe(1);
  expect(summary).toMatchObject({ customers: { total: 3, pass: 2, invalid: 1 } });
  // Another file is another batch; whom any batch has posted is done.
  await writeFile(join(folder.directory, "customers.csv"), "fp_id\nfp_9\nfp_2\nfp_1\n");
  const again = await onboard("--validate-only", "--mode", "sync");
  expect(again).toMatchObject({ code: 0, summary: { customers: { total: 3, invalid: 0, done: 2 } } });
});
