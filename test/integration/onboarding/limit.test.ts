import { Client } from "@temporalio/client";
import { expect, test } from "vitest";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { taskQueue } from "../../../src/domain/run.js";
import { startOnboarding } from "../../../src/intake/onboarding/start.js";
import { FrozenBatches } from "../../../src/lake/onboarding/frozen-batch.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";
import { dataConverter } from "../../../src/temporal/encryption/payload-codec.js";
import { QUICK } from "../../helpers/onboarding/onboard-harness.js";
import { onboardWorlds } from "../../helpers/onboarding/onboard-worlds.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const worlds = onboardWorlds();
const PASS = { sandbox: { playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] } } as const;
const ALL = { status: "completed", customers: { total: 4, queued: 0, pass: 4 } };

function moment(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((come) => {
    resolve = come;
  });
  return { promise, resolve };
}

/** Holds the worker's first write of such a key until it is let go. */
function heldWrite(method: "put" | "putIfAbsent", isKey: (key: string) => boolean) {
  const reached = moment();
  const released = moment();
  const wrap = (store: ObjectStore): ObjectStore => ({
    ...store,
    async [method](key: string, ...rest: [never, never]) {
      if (isKey(key)) {
        reached.resolve();
        await released.promise;
      }
      return store[method](key, ...rest) as never;
    },
  });
  return { store: wrap, reached: reached.promise, release: released.resolve };
}

test("a limit that is raised while a batch waits for its tables continues in the same run", async () => {
  const tables = heldWrite("putIfAbsent", (key) => key.startsWith("onboardings/_delta_log/"));
  const world = await worlds.open({ ...PASS, store: tables.store });
  const rows = world.users(4);
  const first = await world.begin(rows, { mode: "sync", limit: 2 });
  await tables.reached;
  await world.begin(rows, { mode: "sync" });
  tables.release();
  expect(await first.handle.result()).toMatchObject({ ...ALL, run_id: first.runId });
  expect(world.sandbox.onboardings.list()).toHaveLength(4);
});

test("a limit that is raised while a run writes its end is another run's", async () => {
  const csv = heldWrite("put", (key) => key.endsWith("/outcomes.csv"));
  const world = await worlds.open({ ...PASS, store: csv.store });
  const rows = world.users(4);
  const first = await world.begin(rows, { mode: "sync", limit: 2 });
  await csv.reached;
  const second = world.onboard(rows, { mode: "sync" });
  await world.until(first, ({ customers }) => customers.total === 4);
  csv.release();
  const { summary, runId, joined } = await second;
  expect({ ...summary, joined }).toMatchObject({ ...ALL, joined: false });
  expect(runId).not.toBe(first.runId);
  expect(await world.rows("select run_id, users from runs order by started_at")).toMatchObject([
    { run_id: first.runId, users: 2 },
    { run_id: runId, users: 4 },
  ]);
});

test("a run that ends before it hears of a limit is followed by another", async () => {
  const world = await worlds.open(PASS);
  const first = await world.begin(world.users(4), { mode: "sync", limit: 2 });
  const facts = await new FrozenBatches(world.sealed).manifest(first.batchId);
  if (facts === undefined) throw new Error("the batch is not frozen");
  const { connection, options } = world.client;
  const late = new Client({
    connection,
    namespace: options.namespace,
    dataConverter: dataConverter(TEST_KEYS, options.namespace),
    interceptors: {
      workflow: [
        {
          async signal(input, next) {
            await first.handle.result();
            return next(input);
          },
        },
      ],
    },
  });
  const second = await startOnboarding(late, {
    scope: world.scope,
    taskQueue: taskQueue(world.scope),
    sealed: world.sealed,
    facts,
    options: {
      limit: null,
      syncTimeoutSecs: 30,
      window: 5,
      circuit: 0,
      plainOutput: true,
      linksFile: null,
      retry: false,
      timing: QUICK,
    },
  });
  expect(second.joined).toBe(false);
  expect(second.handle.workflowId).toBe(first.handle.workflowId);
  expect((await second.handle.result()) as OnboardSummary).toMatchObject(ALL);
});
