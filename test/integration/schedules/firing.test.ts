import { appendFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ensureUpkeep } from "../../../src/cli/schedules/upkeep.js";
import { runPreflight } from "../../../src/cli/session/preflight.js";
import { scheduleId } from "../../../src/domain/schedules/scheduled-run.js";
import { commandWorld } from "../../helpers/command/command-world.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";
import { onceAVersion } from "../../helpers/lake/once-a-version.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const FAR = ["--at", "03:00"];
const SYNC = ["sync", "--roster", "users.csv"];

const world = commandWorld({ playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] });
beforeEach(async () => {
  world.sandbox.addLink({ fp_id: "u1", id: "l1", accounts: [{ id: "a1" }] });
  await world.write("users.csv", "fp_id\nu1\n");
});

const { run } = world;
const schedule = async (...args: string[]) => {
  const done = await run("schedule", ...args);
  expect(done.code, done.stderr).toBe(0);
  return done;
};
const described = async (name: string) => JSON.parse((await schedule("describe", name, "--json")).stdout);
const runsOf = onceAVersion(
  () => world.folder.lake,
  async (name) => {
    const columns = "run_id, kind, status, users, scheduled_at, started_at, message";
    const sql = `select ${columns} from runs where schedule = '${name}' order by started_at`;
    const { code, stdout } = await run("query", "--json", sql);
    return code === 0 ? JSON.parse(stdout) : [];
  },
);
const until = (name: string, runs: number) =>
  expect
    .poll(() => runsOf(name).then(({ length }) => length), { interval: 200 })
    .toBeGreaterThanOrEqual(runs);

test("a schedule fires by itself; each run reads the roster as it is then, and a vanished one fails that run with a message", async () => {
  await schedule("create", "nightly", "--every", "2s", "--", ...SYNC);
  await until("nightly", 2);
  world.sandbox.addLink({ fp_id: "u2", id: "l2", accounts: [{ id: "a2" }] });
  await appendFile(world.folder.roster, "u2\n");
  await expect.poll(() => runsOf("nightly").then((runs) => runs.at(-1).users)).toBe(2);
  const aside = join(world.folder.directory, "aside.csv");
  await rename(world.folder.roster, aside);
  await expect
    .poll(() => runsOf("nightly").then((runs) => runs.at(-1)))
    .toMatchObject({ kind: "sync", status: "failed", message: expect.stringMatching(/users\.csv.*not/) });
  await rename(aside, world.folder.roster);
  await expect
    .poll(() => runsOf("nightly").then((runs) => runs.at(-1)))
    .toMatchObject({ status: "completed", users: 2, message: null });
  const runs = await runsOf("nightly");
  const due = runs.map(({ scheduled_at }: { scheduled_at: string }) => Date.parse(scheduled_at));
  expect(due).toEqual([...new Set(due)].sort());
  expect(due.every((at: number) => at % 2_000 === 0)).toBe(true);
  const { last, next, command } = await described("nightly");
  expect(command).toBe("sync --roster users.csv");
  expect(next).toHaveLength(5);
  expect(last.length).toBeGreaterThan(2);
  const ids = new Set(runs.map(({ run_id }: { run_id: string }) => run_id));
  expect(
    last.filter(({ run_id }: { run_id: string | null }) => run_id !== null && !ids.has(run_id)).length,
  ).toBeLessThan(2);
});

test("a lake that goes while its worker lives fails the next firing, which asks and writes nothing", async () => {
  await schedule("create", "nightly", ...FAR, "--", ...SYNC);
  await schedule("trigger", "nightly");
  await until("nightly", 1);
  await rename(world.folder.lake, `${world.folder.lake}.away`);
  world.sandbox.clearRequests();
  await schedule("trigger", "nightly");
  await expect.poll(() => described("nightly").then(({ last }) => last[0].status)).toBe("failed");
  expect(world.sandbox.calls().total).toBe(0);
  expect(await runsOf("nightly")).toEqual([]);
});

test("a schedule of a lake that another one replaced, before its worker came, fails and says so", async () => {
  await schedule("create", "nightly", ...FAR, "--", ...SYNC);
  await rm(world.folder.lake, { recursive: true });
  await schedule("create", "other", ...FAR, "--", ...SYNC);
  await schedule("trigger", "nightly");
  await until("nightly", 1);
  expect((await runsOf("nightly"))[0]).toMatchObject({
    status: "failed",
    message: expect.stringMatching(/for another lake.*schedule create/),
  });
  expect(world.sandbox.calls().total).toBe(0);
});

test("a worker's upkeep is created once, runs as a job, and stays as its user has changed it", async () => {
  await schedule("create", "nightly", ...FAR, "--", ...SYNC);
  await schedule("trigger", "nightly");
  await until("nightly", 1);
  const preflight = await runPreflight({ ...SILENT, env: world.folder.env, cwd: world.folder.directory });
  const { client } = await sharedTemporal().client();
  const ensure = () => ensureUpkeep(SILENT, client, preflight);
  await ensure();
  expect(await described("maintain")).toMatchObject({
    command: "maintain --retain 7",
    when: expect.stringContaining("30 4 * * 0"),
    paused: false,
  });
  await schedule("trigger", "maintain");
  await until("maintain", 1);
  expect((await runsOf("maintain"))[0]).toMatchObject({ kind: "maintain", status: "completed" });
  const status = JSON.parse((await run("status", "--json")).stdout);
  expect(status.upkeep).toMatchObject({ retain_days: 7, live: { files: expect.any(Number) } });
  expect(status.latest.map(({ kind }: { kind: string }) => kind)).toContain("maintain");
  await schedule("pause", "maintain");
  await ensure();
  expect((await described("maintain")).paused).toBe(true);
  expect((await run("maintain", "--schedule", "--retain", "30")).code).toBe(0);
  expect(await described("maintain")).toMatchObject({ command: "maintain --retain 30", paused: true });
  const log = join(world.folder.lake, "transactions", "_delta_log");
  const versions = (await readdir(log)).flatMap((name) => /^(\d{20})\.json$/.exec(name)?.[1] ?? []);
  const next = `${Math.max(...versions.map(Number)) + 1}`.padStart(20, "0");
  await writeFile(join(log, `${next}.json`), '{"protocol":{"minReaderVersion":1,"minWriterVersion":9}}\n');
  await client.schedule.getHandle(scheduleId(preflight.scope, "maintain")).trigger();
  await until("maintain", 2);
  expect((await runsOf("maintain")).at(-1)).toMatchObject({
    status: "completed_with_failures",
    message: expect.stringMatching(/^1 table left alone \(most often: Table transactions .*writer version 9/),
  });
});

test("a schedule that is changed by its name keeps its pause; a trigger runs it all the same, a backfill once per due time", async () => {
  await schedule("create", "s", ...FAR, "--", ...SYNC);
  await schedule("pause", "s", "--reason", "the service moves");
  const changed = await schedule(
    "create",
    "s",
    "--at",
    "04:30,16:30",
    "--timezone",
    "Europe/Prague",
    "--",
    ...SYNC,
    "--full",
  );
  expect(changed.stdout).toContain("schedule s changed: at 04:30, 16:30 Europe/Prague");
  expect(await described("s")).toMatchObject({
    paused: true,
    next: [],
    command: "sync --roster users.csv --full",
  });
  await schedule("trigger", "s");
  await until("s", 1);
  await schedule("unpause", "s");
  expect((await described("s")).next).toHaveLength(5);
  await schedule("backfill", "s", "--from", "2026-11-01T00:00:00Z", "--to", "2026-11-02T00:00:00Z");
  await until("s", 3);
  const due = (await runsOf("s")).map(({ scheduled_at }: { scheduled_at: string }) => scheduled_at);
  expect(due).toEqual(expect.arrayContaining(["2026-11-01T03:30:00.000000Z", "2026-11-01T15:30:00.000000Z"]));
});

test("imports, exports and batches run by a schedule as by a command", async () => {
  await writeFile(
    join(world.folder.directory, "rows.csv"),
    "link_id,account_id,amount,date,description\nl1,a1,1.50,2026-11-02,one\nl1,a1,2.50,2026-11-02,two\n",
  );
  await writeFile(join(world.folder.directory, "customers.csv"), "external_id\nc-1\nc-2\n");
  const jobs: readonly (readonly [string, readonly string[]])[] = [
    ["imports", ["import", "--transactions", "rows.csv"]],
    ["packs", ["export", "cip", "--roster", "users.csv", "--approver", "c@bank.example"]],
    ["customers", ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc"]],
  ];
  for (const [name, command] of jobs) {
    await schedule("create", name, ...FAR, "--", ...command);
    await schedule("trigger", name);
    await until(name, 1);
    // The service knows none of the customers.
    const status = name === "customers" ? "completed_with_failures" : "completed";
    expect(await runsOf(name), name).toMatchObject([{ kind: command[0]?.replace("export", "cip"), status }]);
  }
  expect(world.sandbox.truth("l1").rows).toHaveLength(2);
  expect(world.sandbox.cip.made()).toHaveLength(1);
  expect(world.sandbox.calls().by_operation.create_onboarding).toBe(2);
});
