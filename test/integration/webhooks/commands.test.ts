import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { EVENT_KINDS } from "../../../src/domain/service/event-kind.js";
import { COMPLETED_EVENT } from "../../helpers/api/service-rules.js";
import { runHere } from "../../helpers/command/command-here.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { clusterEnv } from "../../helpers/temporal/temporal-environment.js";
import { SECRET, secretOf } from "../../helpers/webhooks/signed-webhook.js";

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

const sandbox = eachTest(() => startSandbox({ webhooks: { retryMs: [300, 1_000] } }));
let folder: JobFolder;
afterEach(async () => {
  await folder.release();
});

async function openFolder(more: Readonly<Record<string, string>>): Promise<void> {
  folder = await openJobFolder(sandbox, { NIGHTLEDGER_WEBHOOK_SECRETS: SECRET, ...more });
}

/** Starts a command that receives, as the service's endpoint. */
async function receive(...args: string[]) {
  const receiver = folder.command(args);
  const [, url = ""] = await receiver.says(/webhooks +(\S+), test mode/);
  sandbox.webhooks.register({ url, secrets: [SECRET] });
  return { receiver, url };
}

/** Has the service send a test webhook, as docs/use/webhooks.md says. */
async function askFor(payload: object): Promise<void> {
  await writeFile(join(folder.directory, "event.json"), JSON.stringify({ payload }));
  const { code, stderr } = await runHere(folder, ["call", "send_test_webhook", "--body", "event.json"]);
  expect(code, stderr).toBe(0);
}

const rows = async (sql: string) => (await resultOf("query", sql, "--json")).value;

async function resultOf(...args: string[]) {
  const { code, stdout, stderr } = await runHere(folder, args);
  const value = stdout.trim() === "" ? undefined : JSON.parse(stdout);
  return { code, stderr, value: value?.items ?? value };
}

describe("with a cluster", () => {
  beforeEach(() => openFolder(clusterEnv(temporal)));

  test("serve receives every kind of test webhook, and SIGTERM ends it in order", async () => {
    const { receiver, url } = await receive("webhooks", "serve", "--port", "0");
    for (const event_kind of EVENT_KINDS) await askFor({ ...COMPLETED_EVENT, event_kind });
    const health = async () => {
      const answer = await fetch(new URL("/healthz", url));
      return [answer.status, await answer.json()];
    };
    await expect.poll(health).toMatchObject([200, { status: "ok", taken: 8, unknown: 0 }]);
    const worker = folder.command(["worker"]);
    await worker.says(/working on task queue/);
    const kinds = async () =>
      (await rows("select event_kind from webhook_events"))
        ?.map((row: { event_kind: string }) => row.event_kind)
        .sort();
    await expect.poll(kinds, { interval: 100 }).toEqual([...EVENT_KINDS].sort());
    const ended = await receiver.end("SIGTERM");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('"taken":8');
  });

  test("webhook_events and link_syncs show what sandbox trigger makes happen, and what it led to", async () => {
    sandbox.addLink({ fp_id: "fp_1", id: "link_1", accounts: [{ id: "acc_1" }] });
    await receive("webhooks", "serve", "--port", "0");
    const worker = folder.command(["worker"]);
    await worker.says(/working on task queue/);
    const triggered = await runHere(folder, ["sandbox", "trigger", "service.user.bank_link_updated"]);
    const [, messageId] = /bank_link_updated {2}(msg_\S+) {2}delivered {2}204/.exec(triggered.stdout) ?? [];
    expect(triggered, triggered.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("link_1") });
    const effects = () =>
      rows(`select fp_id, known, matched, link_id, link_syncs.status from link_syncs join webhook_events using (fp_id)
        where message_id = '${messageId}'`);
    await expect
      .poll(effects, { interval: 100 })
      .toEqual([{ fp_id: "fp_1", known: true, matched: false, link_id: "link_1", status: "synced" }]);
    const again = await runHere(folder, ["sandbox", "trigger", "service.vault.update"]);
    expect(again).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean service.vault.updated?"),
    });
  });

  test("trigger where no sandbox answers: exit 3, and what to do", async () => {
    const trigger = ["sandbox", "trigger", "service.vault.updated", "--url", "http://127.0.0.1:9"];
    const { code, stderr } = await runHere(folder, trigger);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("Start one with") });
  });

  test("serve without a secret: exit 2, nothing was made", async () => {
    const { code, stderr } = await runHere(folder, ["webhooks", "serve"], {
      NIGHTLEDGER_WEBHOOK_SECRETS: "",
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/SECRETS is not set/) });
    expect(await folder.names()).toEqual(["users.csv"]);
  });
});

describe("embedded", () => {
  test("dev receives where secrets are set: tabled by its own worker", async () => {
    await openFolder({ NIGHTLEDGER_WEBHOOK_SECRETS: `${secretOf("the next one, 24 bytes..")},${SECRET}` });
    const { receiver } = await receive("dev", "--webhooks-port", "0");
    await askFor({ event_kind: "service.vault.updated", onboarding_id: "a-test" });
    const tabled = () => rows("select onboarding_id from webhook_events");
    await expect.poll(tabled, { interval: 100 }).toEqual([{ onboarding_id: "a-test" }]);
    const ended = await receiver.end("SIGINT");
    expect(ended.code, ended.stderr).toBe(0);
    expect(folder.servers()).toEqual([]);
  });
});
