import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { taskQueue } from "../../../src/domain/run.js";
import { type ChildCommand, startNode } from "../command/command-process.js";
import { addBadRow, problemsOf } from "../sync/bad-row.js";
import { openSyncWorld, type SyncWorld } from "../sync/sync-harness.js";
import type { TestTemporal } from "../temporal/temporal-environment.js";
import type { StoreFault } from "./fault-store.js";

/** Runs at a time: a killed worker is noticed after ten seconds, which are spent waiting. */
const LANES = 6;
const KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;
const API = { concurrency: 8, headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000, maxBodyBytes: 2 ** 25 };

/** Kills workers at exact steps of a run, each in a world of its own; what is not right after, in words. */
export async function killAtSteps(
  temporal: TestTemporal,
  script: string,
  faults: readonly StoreFault[],
): Promise<string[]> {
  const left = [...faults];
  const problems: string[] = [];
  const lane = async () => {
    for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
      const { when, on, key } = fault;
      for (const problem of await killAt(temporal, script, fault)) {
        problems.push(`killed ${when} ${on} ${key}: ${problem}`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return problems;
}

async function killAt(temporal: TestTemporal, script: string, fault: StoreFault): Promise<string[]> {
  const world = await openSyncWorld(temporal, {
    sandbox: { population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 120, seed: 7 } },
    direct: true,
  });
  let child: ChildCommand | undefined;
  try {
    addBadRow(world);
    await world.stopWorker();
    child = await startFaultWorker(temporal, script, world, fault);
    const started = await world.start({ pageSize: 50 });
    const { signal, stderr } = await child.ended;
    if (signal !== "SIGKILL") return [`the worker was not killed there: ${stderr}`];
    await world.startWorker();
    await started.handle.result();
    const runs = await world.rows("select run_id from runs");
    return [...(runs.length === 1 ? [] : [`runs has ${runs.length} rows`]), ...(await problemsOf(world))];
  } finally {
    if (child?.running()) await child.end("SIGKILL");
    await world.close();
  }
}

/** Starts a worker for a world that meets a fault; `more` are further settings of the worker, as JSON. */
export async function startFaultWorker(
  temporal: TestTemporal,
  script: string,
  world: SyncWorld,
  fault: StoreFault,
  more: object = {},
): Promise<ChildCommand> {
  const base = dirname(world.lake);
  const { address, namespace } = temporal;
  const settings = {
    ...more,
    api: { ...API, url: world.sandbox.url, key: world.sandbox.apiKey },
    lake: world.lake,
    server: { address, namespace },
    keys: KEYS,
    taskQueue: taskQueue(world.scope),
    embedded: true,
    faults: [fault],
    logFile: join(base, "fault-worker.log"),
  };
  const file = join(base, "fault-worker.json");
  await writeFile(file, JSON.stringify(settings));
  const child = startNode(script, [file], { cwd: base });
  await child.says(/working/).catch(async (error) => {
    if (child.running()) await child.end("SIGKILL");
    throw error;
  });
  return child;
}
