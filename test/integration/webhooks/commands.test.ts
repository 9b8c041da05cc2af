import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { EVENT_KINDS } from "../../../src/domain/service/event-kind.js";
import { runHere } from "../../helpers/command/command-here.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { clusterEnv } from "../../helpers/temporal/temporal-environment.js";
import { SECRET, secretOf } from "../../helpers/webhooks/signed-webhook.js";

const temporal = sharedTemporal();
afterAll(() => temporal.stop());

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  sandbox = await startSandbox({ webhooks: { retryMs: [300, 1_000] } });
});
afterEach(async () => {
  await folder.release();
  await sandbox.close();
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

async function resultOf(...args: string[]) {
  const { code, stdout, stderr } = await runHere(folder, args);
  const value = stdout.trim() === "" ? undefined : JSON.parse(stdout);
  return { code, stderr, value: value?.items ?? value };
}

describe("with a cluster", () => {
  beforeEach(() => openFolder(clusterEnv(temporal)));

  test("serve receives, test sees every kind, and SIGTERM ends it in order", async () => {
    const { receiver, url } = await receive("webhooks", "serve", "--port", "0");
    const tested = await resultOf("webhooks", "test", "--kind", "all", "--json");
    expect(tested, tested.stderr).toMatchObject({
      code: 0,
      value: EVENT_KINDS.map((kind) => ({ kind, seen: true, duration_ms: expect.any(Number) })),
    });
    // A message is seen before its sender has its answer, and counted after it.
    const health = async () => {
      const answer = await fetch(new URL("/healthz", url));
      return [answer.status, await answer.json()];
    };
    await expect.poll(health).toMatchObject([200, { status: "ok", taken: 8, unknown: 0 }]);
    const worker = folder.command(["worker"]);
    await worker.says(/working on task queue/);
    const sql = "select event_kind from webhook_events";
    const kinds = async () =>
      (await resultOf("query", sql, "--json")).value
        ?.map((row: { event_kind: string }) => row.event_kind)
        .sort();
    await expect.poll(kinds, { interval: 100 }).toEqual([...EVENT_KINDS].sort());
    const ended = await receiver.end("SIGTERM");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('"taken":8');
    // A test is about nobody: nothing was read because of it.
    expect(Object.keys(sandbox.calls().by_operation)).toEqual(["send_test_webhook"]);
  });

  test("listen prints what sandbox trigger makes happen, and what it led to; Ctrl-C ends it", async () => {
    sandbox.addLink({ fp_id: "fp_1", id: "link_1", accounts: [{ id: "acc_1" }] });
    const { url } = await receive("webhooks", "serve", "--port", "0");
    const worker = folder.command(["worker"]);
    await worker.says(/working on task queue/);
    const listening = folder.command(["webhooks", "listen", "--json", "--receiver", url]);
    await listening.says(/Ctrl-C ends this/);
    const lines = () =>
      listening
        .printed()
        .stdout.split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    // A refusal is printed from the second look on, so the first one has been.
    const refused = { verdict: "refused", reason: "headers", count: expect.any(Number) };
    await expect
      .poll(async () => (await fetch(url, { method: "POST", body: "{}" })) && lines())
      .toContainEqual(expect.objectContaining(refused));
    const triggered = await runHere(folder, ["sandbox", "trigger", "service.user.bank_link_updated"]);
    const [, messageId] = /bank_link_updated {2}(msg_\S+) {2}delivered {2}204/.exec(triggered.stdout) ?? [];
    expect(triggered, triggered.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("link_1") });
    await listening.says(/"led_to"/);
    const [event, effect] = lines().filter((line) => line.message_id === messageId);
    expect(event).toMatchObject({ verdict: "new", fp_id: "fp_1", known: true, matched: false });
    const synced = await resultOf(
      "query",
      "select run_id, link_id, status, created from link_syncs",
      "--json",
    );
    const [{ run_id, created }] = synced.value;
    expect(effect).toMatchObject({
      verdict: "led_to",
      run_id,
      what: expect.stringMatching(`^link_1 synced: ${created} created, `),
    });
    const ended = await listening.end("SIGINT");
    expect(ended.code, ended.stderr).toBe(0);
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

  test("where no receiver sees it, test says so and ends with 1", async () => {
    const tested = await resultOf("webhooks", "test", "--timeout", "1", "--json");
    expect(tested).toMatchObject({
      code: 1,
      value: [{ kind: "service.onboarding.completed", seen: false }],
    });
    expect(tested.stderr).toContain("no receiver of this lake has seen the event");
  });

  test.each([
    ["no secret", [], { NIGHTLEDGER_WEBHOOK_SECRETS: "" }, /NIGHTLEDGER_WEBHOOK_SECRETS is not set/],
    ["a wrong secret", [], { NIGHTLEDGER_WEBHOOK_SECRETS: "whsec_abc" }, /entry 1 is not a webhook secret/],
    ["a wrong mode", [], { NIGHTLEDGER_WEBHOOK_MODE: "prod" }, /Accepted: test, live/],
    [
      "an address of another machine",
      ["--host", "203.0.113.7"],
      {},
      /port 8788 of 203.0.113.7 can't be used/,
    ],
  ] as const)("serve with %s: exit 2, nothing was made", async (_, args, env, words) => {
    const { code, stderr } = await runHere(folder, ["webhooks", "serve", ...args], env);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(words) });
    expect(await folder.names()).toEqual(["users.csv"]);
  });

  test.each([
    ["serve with a wrong port", ["serve", "--port", "70000"], /0 to 65535/],
    [
      "test with a kind that is none",
      ["test", "--kind", "service.none"],
      /service\.entity\.entity_status_set/,
    ],
  ] as const)("%s: exit 2, nothing was made or sent", async (_, args, words) => {
    const { code, stderr } = await folder.command(["webhooks", ...args]).ended;
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(words) });
    expect(await folder.names()).toEqual(["users.csv"]);
    expect(sandbox.calls().total).toBe(0);
  });
});

describe("embedded", () => {
  test("dev receives where secrets are set: tabled by its own worker", async () => {
    await openFolder({ NIGHTLEDGER_WEBHOOK_SECRETS: `${secretOf("the next one, 24 bytes..")},${SECRET}` });
    const { receiver } = await receive("dev", "--webhooks-port", "0");
    const tested = await resultOf("webhooks", "test", "--json");
    expect(tested, tested.stderr).toMatchObject({ code: 0, value: [{ seen: true }] });
    const rows = async () =>
      (await resultOf("query", "select onboarding_id from webhook_events", "--json")).value?.length;
    await expect.poll(rows, { interval: 100 }).toBe(1);
    const ended = await receiver.end("SIGINT");
    expect(ended.code, ended.stderr).toBe(0);
    expect(folder.servers()).toEqual([]);
  });

  test("dev without secrets does not receive", async () => {
    await openFolder({ NIGHTLEDGER_WEBHOOK_SECRETS: "" });
    const dev = folder.command(["dev"]);
    await dev.says(/Ctrl-C ends it/);
    expect(dev.printed().stderr).not.toContain("webhooks ");
    await dev.end("SIGINT");
  });

  test("test before any receiver has run: exit 2, and what to do", async () => {
    await openFolder({});
    const { code, stderr } = await runHere(folder, ["webhooks", "test"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("nightledger webhooks serve")]);
    expect(sandbox.calls().total).toBe(0);
  });
});
