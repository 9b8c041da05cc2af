import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../../../sandbox/index.js";
import type { ChildCommand } from "../command/command-process.js";
import { openJobFolder } from "../command/job-folder.js";
import { clusterEnv, type TestTemporal } from "../temporal/temporal-environment.js";
import type { S3Server } from "./s3-server.js";

export type TwoMachines = Awaited<ReturnType<typeof openTwoMachines>>;
type Machine = Awaited<ReturnType<typeof openMachine>>;

/** Opens two machines that share a Temporal server and a bucket, and nothing else. */
export async function openTwoMachines(
  sandbox: Sandbox,
  temporal: TestTemporal,
  server: S3Server,
  env: Readonly<Record<string, string>> = {},
) {
  const bucket = await server.makeBucket();
  const shared = {
    ...server.env,
    ...env,
    NIGHTLEDGER_LAKE: bucket.address,
    ...clusterEnv(temporal),
  };
  const opened: Machine[] = [];
  const release = async () => {
    for (const machine of opened.reverse()) await machine.release();
  };
  try {
    for (let n = 0; n < 2; n += 1) opened.push(await openMachine(sandbox, shared, bucket.directory));
    return { machines: opened as [Machine, Machine], lake: bucket.directory, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** A machine with a worker: its own working directory, HOME and scratch. */
async function openMachine(sandbox: Sandbox, shared: Readonly<Record<string, string>>, lake: string) {
  const scratch = await mkdtemp(join(tmpdir(), "nightledger-machine-"));
  const folder = await openJobFolder(sandbox, { ...shared, NIGHTLEDGER_SCRATCH: scratch }, lake);
  let worker: ChildCommand | undefined;
  return {
    folder,
    async work() {
      worker = folder.command(["worker"]);
      await worker.says(/working on task queue/);
    },
    logs: async (pattern: RegExp) => worker?.says(pattern),
    /** Kills its worker; what only this machine had is gone. */
    async die() {
      await worker?.end("SIGKILL");
      await rm(scratch, { recursive: true, force: true });
    },
    async release() {
      await folder.release();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
