import { writeFile } from "node:fs/promises";
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

// Nobody sends it again: test/integration/webhooks/table.test.ts.
test.each([
  ["before the event is on the disk", "before"],
  ["between the disk and the answer", "after"],
] as const)("a receiver killed %s: the repetition ends the wait, and is tabled once", async (_, when) => {
  const webhooks = { retryMs: [500, 1_000, 2_000, 4_000, 8_000, 16_000], timeoutMs: 2_000 };
  const playbooks = [{ key: "pb_kyc", outcomes: { pass: 1 }, versions: 3, delayMs: 500 }];
  world = await openOnboardWorld(temporal, { sandbox: { playbooks, webhooks } });
  const receiver = await startReceiver([
    { on: "putIfAbsent", key: "^_staging/webhooks/", when, effect: "kill" },
  ]);
  const timing = { pollFirst: 600_000, pollMost: 600_000 };
  const batch = await world.begin(world.users(1), { timing });
  expect((await receiver.ended).signal).toBe("SIGKILL");
  await startReceiver();
  await batch.handle.result();
  const outcomes = await world.rows("select line, status, settled_by, version from onboardings");
  expect(outcomes).toMatchObject([{ status: "pass", settled_by: "webhook", version: 1 }]);
  const sent = world.sandbox.webhooks.messages().map(({ id }) => id);
  const tabled = await tabledEvents(world, sent.length);
  expect(tabled.map(({ message_id }) => message_id).sort()).toEqual(sent);
});
