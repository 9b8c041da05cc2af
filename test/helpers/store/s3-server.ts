import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findOnPath } from "../../../src/temporal/cli/cli-cache.js";
import { runTool } from "../../../src/temporal/cli/tool-process.js";
import { acquireLock } from "../../../src/temporal/server/generation-lock.js";

const VERSION = "1.8.0";
const MODULE = fileURLToPath(new URL("../../../tools/versitygw", import.meta.url));
const BUILD_MS = 1_800_000;

/** What the SDK of every process that uses the server is given. */
const CREDENTIALS = { AWS_ACCESS_KEY_ID: "nightledger", AWS_SECRET_ACCESS_KEY: "nightledger-secret" };

interface Bucket {
  /** Of a lake in it. */
  readonly address: string;
  /** Where the server has the objects of that lake, as files under their keys. */
  readonly directory: string;
}

/** A real S3 server with its data in a directory of its own. */
export interface S3Server {
  readonly endpoint: string;
  /** The variables by which a process uses it. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes a bucket for a lake. */
  makeBucket(): Promise<Bucket>;
  stop(): Promise<void>;
}

/** Why there is no S3 server to test with; undefined where there is one, or Go to build it with. */
export async function whyNoS3Server(): Promise<string | undefined> {
  if (existsSync(binaryPath()) || (await findOnPath("go", process.env.PATH)) !== undefined) return undefined;
  return "no Go to build an S3 server with";
}

/** Starts the server, which is built and cached where it has not been. */
export async function startS3Server(): Promise<S3Server> {
  const binary = await builtServer();
  const directory = await mkdtemp(join(tmpdir(), "nightledger-s3-"));
  const data = join(directory, "data");
  const sidecar = join(directory, "metadata");
  await mkdir(data);
  await mkdir(sidecar);
  const env = {
    PATH: process.env.PATH,
    ROOT_ACCESS_KEY: CREDENTIALS.AWS_ACCESS_KEY_ID,
    ROOT_SECRET_KEY: CREDENTIALS.AWS_SECRET_ACCESS_KEY,
  };
  const port = await freePort();
  const args = ["--port", `127.0.0.1:${port}`, "--quiet", "posix", "--sidecar", sidecar, data];
  const server = spawn(binary, args, { env, stdio: "ignore" });
  const ended = once(server, "exit");
  const endpoint = `http://127.0.0.1:${port}`;
  while (!(await answers(endpoint))) {
    if (server.exitCode !== null) throw new Error(`the S3 server ended with ${server.exitCode}`);
  }
  Object.assign(process.env, CREDENTIALS);
  return {
    endpoint,
    env: { ...CREDENTIALS, AWS_ENDPOINT_URL_S3: endpoint },
    async makeBucket() {
      const bucket = `lake-${randomUUID().slice(0, 8)}`;
      await mkdir(join(data, bucket));
      return { address: `s3://${bucket}/tables`, directory: join(data, bucket, "tables") };
    },
    async stop() {
      server.kill("SIGKILL");
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Whether something answers, after a moment. */
async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => sleep(20).then(() => false),
  );
}

function binaryPath(): string {
  const base = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  return join(base, "nightledger", `versitygw-${VERSION}`, "versitygw");
}

async function builtServer(): Promise<string> {
  const binary = binaryPath();
  if (existsSync(binary)) return binary;
  const directory = join(binary, "..");
  await mkdir(directory, { recursive: true });
  const guards = "the build of the S3 server";
  const unlock = await acquireLock(join(directory, "lock"), {
    guards,
    waitMs: BUILD_MS,
    report: () => undefined,
  });
  try {
    if (existsSync(binary)) return binary;
    const partial = `${binary}.partial`;
    const args = ["build", "-trimpath", "-o", partial, "github.com/versity/versitygw/cmd/versitygw"];
    const { failure, output } = await runTool({
      command: "go",
      args,
      cwd: MODULE,
      env: process.env,
      timeoutMs: BUILD_MS,
    });
    if (failure !== undefined) throw new Error(`The S3 server can't be built: ${failure}\n${output}`);
    await rename(partial, binary);
    return binary;
  } finally {
    await unlock();
  }
}
