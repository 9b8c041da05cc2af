import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { runHere } from "../../helpers/command/command-here.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";

const TEST_KEY = "sk_test_rehearsal";
const LIVE_KEY = "sk_live_real";
const OPTIONS = { apiKeys: [TEST_KEY, LIVE_KEY], playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] };
const ONBOARD = [
  "onboard",
  "--customers",
  "customers.csv",
  "--playbook",
  "pb_kyc",
  "--mode",
  "sync",
  "--json",
];

const sandbox = eachTest(() => startSandbox(OPTIONS));
const elsewhere = eachTest(() => startSandbox(OPTIONS));
const folder = eachTest(() => openJobFolder(sandbox));

beforeEach(async () => {
  const ids = ["fp_1", "fp_2", "fp_3"];
  for (const fp_id of ids) for (const one of [sandbox, elsewhere]) one.addUser({ fp_id });
  await writeFile(join(folder.directory, "customers.csv"), ["fp_id", ...ids, ""].join("\n"));
});

interface End {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of any command.
  readonly value: any;
}

async function command(args: readonly string[], env: JobFolder["env"] = {}): Promise<End> {
  sandbox.clearRequests();
  elsewhere.clearRequests();
  const { code, stdout } = await runHere(folder, args, env);
  return { code, value: JSON.parse(stdout) };
}

const asked = () => sandbox.calls().total + elsewhere.calls().total;
const REHEARSAL = { NIGHTLEDGER_API_KEY: TEST_KEY };
const REAL = { NIGHTLEDGER_API_KEY: LIVE_KEY };

test("another address is refused by every job with both, until the lake is bound to it; then nothing is posted again", async () => {
  const first = await command(ONBOARD, REHEARSAL);
  const moved = { ...REHEARSAL, NIGHTLEDGER_API_URL: elsewhere.url };
  const jobs = [
    ONBOARD,
    ["sync", "--roster", "users.csv", "--json"],
    ["runs", "retry", first.value.batch_id, "--json"],
    [...ONBOARD, "--validate-only"],
  ];
  await writeFile(folder.roster, "fp_id\nfp_1\n");
  for (const job of jobs) {
    const refused = await command(job, moved);
    expect(refused.code, job.join(" ")).toBe(2);
    expect(refused.value.error.message).toContain(sandbox.url);
    expect(refused.value.error.message).toContain(elsewhere.url);
    expect(asked()).toBe(0);
  }
  const rebound = await command(["rebind", "--json"], moved);
  expect(rebound).toMatchObject({
    code: 0,
    value: { from: sandbox.url, to: elsewhere.url, mode: "test", task_queue: expect.any(String) },
  });
  expect(asked()).toBe(0);
  const again = await command(ONBOARD, moved);
  expect(again).toMatchObject({
    code: 0,
    value: { batch_id: first.value.batch_id, customers: { pass: 3 }, calls: 0 },
  });
  expect(elsewhere.calls().by_operation.create_onboarding ?? 0).toBe(0);
  expect((await command(ONBOARD, REHEARSAL)).code).toBe(2);
});

test.each([
  ["webhooks", "serve", "--port", "0"],
  ["dev", "--webhooks-port", "0"],
])("%s refuses webhooks of another mode than the lake's", async (...args) => {
  await command(ONBOARD, REAL);
  const secrets = { ...REAL, NIGHTLEDGER_WEBHOOK_SECRETS: `whsec_${Buffer.alloc(24, 1).toString("base64")}` };
  const { code, stderr } = await runHere(folder, args, secrets);
  expect(code).toBe(2);
  expect(stderr).toMatch(/NIGHTLEDGER_WEBHOOK_MODE: test, but the lake .* holds live data/);
});
