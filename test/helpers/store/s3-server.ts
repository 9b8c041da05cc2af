import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../command/free-port.js";
import { builtGoTools, type GoTools, whyNoGoTools } from "../go-tools.js";

const VERSITYGW: GoTools = {
  module: "versitygw",
  version: "1.8.0",
  programs: { versitygw: "github.com/versity/versitygw/cmd/versitygw" },
};

/** What the SDK of every process that uses the server is given. */
const CREDENTIALS = { AWS_ACCESS_KEY_ID: "nightledger", AWS_SECRET_ACCESS_KEY: "nightledger-secret" };

export interface Bucket {
  /** Of a lake in it. */
  readonly address: string;
  /** Where the server has the objects of that lake, as files under their keys. */
  readonly directory: string;
}

/** Why there is no S3 server to test with; undefined where there is one, or Go to build it with. */
export function whyNoS3Server(): Promise<string | undefined> {
  return whyNoGoTools(VERSITYGW);
}

/**
 * Starts a real S3 server with its data in a directory of its own; it is built and cached where it has not been.
 *
 * @param address where it listens; left out: on a free port of this machine
 */
export async function startS3Server(address?: string) {
  const binary = join(await builtGoTools(VERSITYGW), "versitygw");
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
  const place = address ?? `127.0.0.1:${await freePort()}`;
  const endpoint = `http://${place}`;
  // One that is killed leaves keys that can neither be read nor written, where their attributes are not their files' own.
  let aside: readonly string[] = [];
  const start = async (): Promise<() => Promise<void>> => {
    const args = ["--port", place, "--quiet", "posix", ...aside, data];
    const server = spawn(binary, args, { env, stdio: "ignore" });
    const ended = once(server, "exit");
    while (!(await answers(endpoint))) {
      if (server.exitCode === null) continue;
      if (aside.length > 0) throw new Error(`the S3 server ended with ${server.exitCode}`);
      aside = ["--sidecar", sidecar];
      return start();
    }
    return async () => {
      server.kill("SIGKILL");
      await ended;
    };
  };
  let kill = await start();
  Object.assign(process.env, CREDENTIALS);
  return {
    endpoint,
    env: { ...CREDENTIALS, AWS_ENDPOINT_URL_S3: endpoint },
    directory: data,
    makeBucket: () => makeBucket(data),
    /** Kills it; its data stay. */
    kill: () => kill(),
    async start() {
      kill = await start();
    },
    async stop() {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

/** Makes a bucket for a lake, in the directory of a server's buckets. */
export async function makeBucket(buckets: string): Promise<Bucket> {
  const bucket = `lake-${randomUUID().slice(0, 8)}`;
  await mkdir(join(buckets, bucket));
  return { address: `s3://${bucket}/tables`, directory: join(buckets, bucket, "tables") };
}

/** Whether something answers, after a moment. */
async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => sleep(20).then(() => false),
  );
}
