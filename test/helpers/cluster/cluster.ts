import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../../../sandbox/index.js";
import { startCommand } from "../command/command-process.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import { whyNoGoTools } from "../go-tools.js";
import { type S3Server, startS3Server, whyNoS3Server } from "../store/s3-server.js";
import { clusterEnv } from "../temporal/temporal-environment.js";
import { SECRET } from "../webhooks/signed-webhook.js";
import { type ClusterPart, KeptProgram } from "./kept-program.js";
import { type Network, openNetwork } from "./network.js";
import { findPostgres, openPostgres } from "./postgres.js";
import { openTemporalServer, TEMPORAL_SERVER } from "./temporal-server.js";

const WORKERS = 2;
/** What a command or worker says when what it needs can't be reached. */
const UNREACHABLE = 3;

/** Why there can be no cluster here; undefined where there can. */
export async function whyNoCluster(): Promise<string | undefined> {
  if (process.platform !== "linux") return "machines of a cluster are processes of Linux";
  if ((await findPostgres()) === undefined) return "no PostgreSQL: neither initdb on the PATH nor Debian's";
  return (await whyNoGoTools(TEMPORAL_SERVER)) ?? (await whyNoS3Server());
}

/** Starts PostgreSQL, Temporal and an S3 server of its own; programs that are not cached are built first. */
export async function openCluster() {
  const postgresBin = await findPostgres();
  if (postgresBin === undefined) throw new Error("no PostgreSQL");
  const releases: (() => Promise<void>)[] = [];
  const release = async () => {
    for (const one of releases.splice(0).reverse()) await one();
  };
  try {
    const network = await openNetwork(WORKERS);
    releases.push(() => network.release());
    const { host } = network;
    const s3 = await startS3Server(`${host}:7070`);
    releases.push(() => s3.stop());
    const postgres = await openPostgres(postgresBin, host);
    releases.push(() => postgres.release());
    await postgres.part.start();
    const temporal = await openTemporalServer(host);
    releases.push(() => temporal.part.kill());
    const servers = [postgres.part, temporal.part];
    const open: OpenCluster = { network, s3, env: temporal.env, servers };
    return { network, openLake: (sandbox: Sandbox) => openLake(open, sandbox), release };
  } catch (error) {
    await release();
    throw error;
  }
}

interface OpenCluster {
  readonly network: Network;
  readonly s3: S3Server;
  readonly env: Readonly<Record<"TEMPORAL_ADDRESS" | "TEMPORAL_NAMESPACE", string>>;
  readonly servers: readonly KeptProgram[];
}

export type Cluster = Awaited<ReturnType<typeof openCluster>>;
export type ClusterLake = Awaited<ReturnType<typeof openLake>>;

/** Opens a lake, with two workers and a receiver for it, and a folder for commands. */
async function openLake(cluster: OpenCluster, sandbox: Sandbox) {
  const { network, s3, servers } = cluster;
  const bucket = await s3.makeBucket();
  const service = await network.offer(Number(new URL(sandbox.url).port));
  const env = {
    ...s3.env,
    ...cluster.env,
    ...clusterEnv({ address: cluster.env.TEMPORAL_ADDRESS }),
    NIGHTLEDGER_API_URL: service.url,
    NIGHTLEDGER_API_KEY: sandbox.apiKey,
    NIGHTLEDGER_API_CONCURRENCY: "2",
    NIGHTLEDGER_LAKE: bucket.address,
  };
  const folder = await openJobFolder(sandbox, env, bucket.directory);
  const workers = await openWorkers(network, env);
  const receiver = receiverOf(folder, sandbox);
  const programs = [...workers.parts, receiver];
  await Promise.all(programs.map((one) => one.start()));
  let storing = Promise.resolve();
  const store: ClusterPart = {
    name: "the S3 server",
    async kill() {
      await storing;
      await s3.kill();
    },
    start() {
      storing = s3.start();
      return storing;
    },
  };
  /** Nothing changes the lake after this. */
  const end = async () => {
    await Promise.all(programs.map((one) => one.kill()));
  };
  return {
    folder,
    parts: [...servers, store, ...programs, ...cutsOf(network)],
    problems: () => [...servers, ...programs].flatMap(({ problems }) => problems.splice(0)),
    end,
    async release() {
      await end();
      await workers.release();
      await folder.release();
      await service.close();
    },
  };
}

/** What each machine is joined to the others by: with it, nothing arrives and nobody is told. */
function cutsOf({ cut }: Network): ClusterPart[] {
  if (cut === undefined) return [];
  return Array.from({ length: WORKERS }, (_, at) => ({
    name: `the network of worker ${at + 1}`,
    kill: async () => void (await cut(at + 1, true)),
    start: async () => void (await cut(at + 1, false)),
  }));
}

async function openWorkers(network: Network, env: Readonly<Record<string, string>>) {
  const directories: string[] = [];
  const parts: KeptProgram[] = [];
  for (let machine = 1; machine <= WORKERS; machine += 1) {
    const directory = await mkdtemp(join(tmpdir(), "nightledger-machine-"));
    directories.push(directory);
    const home = join(directory, "home");
    const own = { HOME: home, NIGHTLEDGER_HOME: home, NIGHTLEDGER_SCRATCH: join(directory, "scratch") };
    parts.push(
      new KeptProgram({
        name: `worker ${machine}`,
        launch: () =>
          startCommand(["worker"], {
            cwd: directory,
            env: { ...env, ...own },
            within: network.within(machine, directory),
          }),
        works: (child) => child.says(/working on task queue/),
        mayEndWith: [UNREACHABLE],
        async lose() {
          await rm(home, { recursive: true, force: true });
          await rm(own.NIGHTLEDGER_SCRATCH, { recursive: true, force: true });
        },
      }),
    );
  }
  return {
    parts,
    async release() {
      for (const directory of directories) await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A receiver that the stand-in sends its webhooks to, on this machine. */
function receiverOf(folder: JobFolder, sandbox: Sandbox): KeptProgram {
  const secrets = { NIGHTLEDGER_WEBHOOK_SECRETS: SECRET };
  let port = "0";
  return new KeptProgram({
    name: "the receiver",
    launch: () => folder.command(["webhooks", "serve", "--port", port], secrets),
    async works(child) {
      const [, url = ""] = await child.says(/webhooks +(\S+), test mode/);
      if (port === "0") sandbox.webhooks.register({ url, secrets: [SECRET] });
      port = new URL(url).port;
    },
    mayEndWith: [UNREACHABLE],
  });
}
