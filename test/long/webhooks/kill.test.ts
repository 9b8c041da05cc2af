import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { taskQueue } from "../../../src/domain/run.js";
import { RECEIVER_PATHS } from "../../../src/receiver/routes.js";
import { type ChildCommand, startNode } from "../../helpers/command/command-process.js";
import { compiledProgram } from "../../helpers/command/compiled-program.js";
import type { StoreFault } from "../../helpers/kill/fault-store.js";
import { type OnboardWorld, openOnboardWorld } from "../../helpers/onboarding/onboard-harness.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import type { ReceiverSettings } from "../../helpers/webhooks/receiver-process.js";
import { SECRET } from "../../helpers/webhooks/signed-webhook.js";
import { tabledEvents } from "../../helpers/webhooks/webhook-world.js";

const ALWAYS = { key: "pb_kyc", outcomes: { pass: 1 }, versions: 3 } as const;
const NO_POLL = { pollFirst: 600_000, pollMost: 600_000 };

const temporal = sharedTemporal();
let script: string;
beforeAll(async () => {
  script = compiledProgram("test/helpers/webhooks/receiver-process.ts");
});
afterAll(() => temporal.stop());

let world: OnboardWorld;
let child: ChildCommand | undefined;
let port: number;
beforeEach(() => {
  child = undefined;
  port = 0;
});
afterEach(async () => {
  if (child?.running()) await child.end("SIGKILL");
  await world.close();
});

async function openWorld(retryMs: readonly number[]): Promise<void> {
  world = await openOnboardWorld(temporal, {
    sandbox: { playbooks: [{ ...ALWAYS, delayMs: 500 }], webhooks: { retryMs, timeoutMs: 2_000 } },
  });
}

/** Starts the receiver, from the second time on where it was before. */
async function startReceiver(faults: readonly StoreFault[] = []): Promise<ChildCommand> {
  const base = join(world.lake, "..");
  const settings: ReceiverSettings = {
    url: world.sandbox.url,
    apiKey: world.sandbox.apiKey,
    lake: world.lake,
    port,
    faults,
    address: temporal.address,
    scope: world.scope,
    taskQueue: taskQueue(world.scope),
    secret: SECRET,
    keys: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    logFile: join(base, "receiver.log"),
  };
  const file = join(base, "receiver.json");
  await writeFile(file, JSON.stringify(settings));
  child = startNode(script, [file], { cwd: base });
  const [, url = ""] = await child.says(/receiving (\S+)/);
  if (port === 0)
    world.sandbox.webhooks.register({ url: `${url}${RECEIVER_PATHS.webhooks}`, secrets: [SECRET] });
  port = Number(new URL(url).port);
  return child;
}

const outcomes = () => world.rows("select line, status, settled_by, version from onboardings order by line");
const sent = () => world.sandbox.webhooks.messages().map(({ id }) => id);
const tabled = async () =>
  (await tabledEvents(world, sent().length)).map(({ message_id }) => String(message_id)).sort();

/** Lets a customer be onboarded, whose webhook kills the receiver at a step. */
async function killedAt(kill: StoreFault, retryMs: readonly number[]) {
  await openWorld(retryMs);
  const receiver = await startReceiver([kill]);
  const batch = await world.begin(world.users(1), { timing: NO_POLL });
  expect((await receiver.ended).signal).toBe("SIGKILL");
  return batch;
}

test.each([
  ["before the event is on the disk", "before"],
  ["between the disk and the answer", "after"],
] as const)("a receiver killed %s: the repetition ends the wait, and is tabled once", async (_, when) => {
  const kill: StoreFault = { on: "putIfAbsent", key: "^_staging/webhooks/", when, effect: "kill" };
  const batch = await killedAt(kill, [500, 1_000, 2_000, 4_000, 8_000, 16_000]);
  await startReceiver();
  await batch.handle.result();
  expect(await outcomes()).toMatchObject([{ status: "pass", settled_by: "webhook", version: 1 }]);
  expect(await tabled()).toEqual(sent());
});

test("killed between the disk and the answer, and nobody sends it again: the next receiver takes it up", async () => {
  const kill: StoreFault = { on: "putIfAbsent", key: "^_staging/webhooks/", when: "after", effect: "kill" };
  const batch = await killedAt(kill, []);
  const staged = join(world.lake, "_staging", "webhooks");
  // As if some time had passed: a receiver that is still at an event is waited for.
  for (const name of await readdir(staged)) await utimes(join(staged, name), new Date(0), new Date(0));
  await startReceiver();
  await batch.handle.result();
  expect(await outcomes()).toMatchObject([{ status: "pass", settled_by: "webhook" }]);
  expect(await tabled()).toEqual(sent());
  expect(await world.rows("select matched from webhook_events")).toEqual([{ matched: true }]);
});
