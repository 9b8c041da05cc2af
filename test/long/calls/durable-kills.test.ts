import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { endProcess, serversOn } from "../../../src/temporal/server/server-process.js";
import { fillForCalls } from "../../helpers/calls/call-world.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  sandbox = await startSandbox();
  fillForCalls(sandbox, "Ada");
  folder = await openJobFolder(sandbox, {
    NIGHTLEDGER_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
  });
});
afterEach(async () => {
  await folder.release();
  await sandbox.close();
});

const onboard = (...flags: string[]) => [
  ...["call", "create_onboarding", "--param", "key=pb_user", "--param", "fp_id=fp_1"],
  ...["--durable", "--json", ...flags],
];
const onboardings = () => sandbox.onboardings.list().filter(({ playbook_key }) => playbook_key === "pb_user");

test("killed between the request and its answer, and again while it is resolved: one effect", async () => {
  const operation = "create_onboarding";
  sandbox.addFault({ kind: "hang", afterEffect: true, operation, times: 1 });
  const first = folder.command(onboard("--request-id", "k"));
  await expect.poll(onboardings, { interval: 20 }).toHaveLength(1);
  await first.end("SIGKILL");
  const looks = { operation: "list_user_onboardings" };
  const looked = sandbox.waitForRequests(1, looks);
  const release = sandbox.hold(looks);
  const second = folder.command(onboard("--request-id", "k"));
  await looked;
  await second.end("SIGKILL");
  release();
  const { code, stdout, stderr } = await folder.command(onboard("--request-id", "k")).ended;
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ repeated: "settled", body: { id: onboardings()[0]?.id } });
  expect(onboardings()).toHaveLength(1);
});

test("one id at two servers at once: one effect", async () => {
  const otherHome = join(folder.directory, "other-home");
  const commands = [{}, { NIGHTLEDGER_HOME: otherHome }].map((env) =>
    folder.command(onboard("--request-id", "both"), env),
  );
  try {
    const ends = await Promise.all(commands.map(({ ended }) => ended));
    for (const { code, stderr } of ends) expect(code, stderr).toBe(0);
    const bodies = ends.map(({ stdout }) => JSON.parse(stdout).body);
    expect(bodies[0]).toEqual(bodies[1]);
    expect(onboardings()).toHaveLength(1);
  } finally {
    for (const server of serversOn(join(otherHome, "temporal.db"))) await endProcess(server, 0);
  }
});
