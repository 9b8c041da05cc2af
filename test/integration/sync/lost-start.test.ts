import type { Client } from "@temporalio/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exitCodeOf, listedError } from "../../../src/cli/terminal/exit-code.js";
import { InterruptedError } from "../../../src/cli/terminal/interruption.js";
import { DAY } from "../../../src/domain/duration.js";
import { taskQueue } from "../../../src/domain/run.js";
import { canonicalRoster } from "../../../src/domain/sync/job.js";
import { startSync } from "../../../src/intake/sync/start.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";
import { connectClient, type TemporalClient } from "../../../src/temporal/connection.js";
import type { StartedRun } from "../../../src/temporal/running-workflows.js";
import { eachTest } from "../../helpers/each-test.js";
import { auditLake } from "../../helpers/lake/lake-audit.js";
import { openSyncWorld } from "../../helpers/sync/sync-harness.js";
import { type LossyWire, startLossyWire } from "../../helpers/temporal/lossy-wire.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const temporal = sharedTemporal();
const DEADLINE_MS = 5_000;
const world = eachTest(() =>
  openSyncWorld(temporal, {
    sandbox: { population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 60, seed: 3 } },
    direct: true,
  }),
);
let wire: LossyWire;
let lossy: TemporalClient;

beforeEach(async () => {
  await world.stopWorker();
  wire = await startLossyWire(temporal.address);
  lossy = await connectClient({ address: wire.address, namespace: temporal.namespace }, TEST_KEYS);
});
afterEach(async () => {
  await lossy.close();
  await wire.close();
});

/** Starts a sync over the wire, whose answers are lost once the roster is frozen: the time for the start begins there. */
function startOverWire(): Promise<StartedRun> {
  const deadline = new Date(Date.now() + DAY);
  return lossy.client.connection.withDeadline(deadline, () =>
    startHere(lossy.client, () => {
      deadline.setTime(Date.now() + DEADLINE_MS);
      wire.loseAnswers();
    }),
  );
}

/** Starts a sync; something happens once its roster is frozen. */
function startHere(client: Client, onFrozen: () => void, signal?: AbortSignal): Promise<StartedRun> {
  const store = new Proxy(world.store, {
    get: (target, name: keyof ObjectStore) => {
      if (name !== "put") {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async (...args: Parameters<ObjectStore["put"]>) => {
        const put = await target.put(...args);
        onFrozen();
        return put;
      };
    },
  });
  const rows = canonicalRoster([...world.sandbox.world.users.keys()].map((fp_id) => ({ fp_id })));
  const job = {
    scope: world.scope,
    taskQueue: taskQueue(world.scope),
    roster: { rows, sha256: "0".repeat(64), warnings: [] },
    options: { streams: ["accounts", "bank_links", "transactions"], links: null, full: false, pageSize: 500 },
    signal,
  } as const;
  return startSync(client, store, job as never);
}

/** The run that Temporal has of this world, once it has it. */
async function runningSync(): Promise<{ workflowId: string; runId: string }> {
  const query = `WorkflowType = "sync" AND TaskQueue = "${taskQueue(world.scope)}"`;
  let found: { workflowId: string; runId: string } | undefined;
  await expect
    .poll(async () => {
      for await (const { workflowId, memo } of world.client.workflow.list({ query })) {
        found = { workflowId, runId: String(memo?.runId) };
      }
      return found;
    })
    .toBeDefined();
  return found as never;
}

const rosterOf = (runId: string) => world.store.get(`_staging/${runId}/roster/0.jsonl`);

test("the answer to the start is lost: the run is found to be this command's, and completes", async () => {
  const starting = startOverWire();
  const { runId } = await runningSync();
  // The next that the client sends is that it has given up: a lookup gets through again.
  await wire.nextRequest();
  wire.breakConnections("mended");
  const started = await starting;
  expect(started).toMatchObject({ runId, joined: false });
  await world.startWorker();
  expect(await started.handle.result()).toMatchObject({ status: "completed" });
  expect(await auditLake(world.lake, world.sandbox)).toEqual([]);
});

test("the answer is lost and Temporal with it: the roster stays, and the run completes without the command", async () => {
  const starting = startOverWire().catch((error: unknown) => error);
  const { runId, workflowId } = await runningSync();
  await wire.nextRequest();
  wire.breakConnections("cut");
  const error = await starting;
  expect(exitCodeOf(error)).toBe(3);
  expect(listedError(error)).toMatchObject({
    name: "UnreachableError",
    message: expect.stringMatching(/Failed to start Workflow \(gRPC status \d+\).*joins it/),
  });
  expect(await rosterOf(runId)).toBeDefined();
  await world.startWorker();
  expect(await world.client.workflow.getHandle(workflowId).result()).toMatchObject({ status: "completed" });
  expect(await auditLake(world.lake, world.sandbox)).toEqual([]);
});

test("Ctrl-C while the roster is frozen: nothing is started, and nothing is left", async () => {
  const stop = new AbortController();
  const start = startHere(world.client, () => stop.abort(new InterruptedError("stopped")), stop.signal);
  await expect(start).rejects.toThrow(InterruptedError);
  const begun: string[] = [];
  const query = `TaskQueue = "${taskQueue(world.scope)}"`;
  for await (const { workflowId } of world.client.workflow.list({ query })) begun.push(workflowId);
  expect(begun).toEqual([]);
  expect(await world.store.list("_staging/")).toEqual([]);
});
