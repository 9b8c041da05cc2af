import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { becomesReady } from "../../../src/temporal/server/server-readiness.js";
import { startProgram } from "../command/command-process.js";
import { builtGoTools, type GoTools } from "../go-tools.js";
import { temporalCliPath } from "../temporal/temporal-environment.js";
import { KeptProgram } from "./kept-program.js";

const run = promisify(execFile);
const DEPLOY = fileURLToPath(new URL("../../../deploy", import.meta.url));
const NAMESPACE = "nightledger";
const DAY_MS = 86_400_000;

/** The version of docker-compose.yml. */
export const TEMPORAL_SERVER: GoTools = {
  module: "temporal-server",
  version: "1.32.0",
  programs: {
    "temporal-server": "go.temporal.io/server/cmd/server",
    "temporal-sql-tool": "go.temporal.io/server/cmd/tools/sql",
  },
};

/** Starts Temporal's server over a PostgreSQL, with schema and namespace made by the scripts of `deploy/`. */
export async function openTemporalServer(host: string) {
  const programs = await builtGoTools(TEMPORAL_SERVER);
  const path = [programs, dirname(await temporalCliPath()), process.env.PATH].join(":");
  const script = (name: string, env: Readonly<Record<string, string>>) =>
    run("sh", [join(DEPLOY, name)], { env: { PATH: path, HOME: "/nonexistent", ...env } });
  const database = { DB_PORT: "5432", POSTGRES_SEEDS: host, POSTGRES_USER: "temporal", POSTGRES_PWD: "none" };
  await script("temporal-schema.sh", {
    SQL_PLUGIN: "postgres12",
    SQL_HOST: host,
    SQL_PORT: database.DB_PORT,
    SQL_USER: database.POSTGRES_USER,
    SQL_PASSWORD: database.POSTGRES_PWD,
  });
  const address = `${host}:7233`;
  let namespace = "temporal-system";
  const part = new KeptProgram({
    name: "Temporal",
    launch: () =>
      startProgram([join(programs, "temporal-server"), "start"], {
        cwd: programs,
        limitMs: DAY_MS,
        env: {
          DB: "postgres12",
          ...database,
          BIND_ON_IP: host,
          NUM_HISTORY_SHARDS: "128",
          LOG_LEVEL: "error",
          DYNAMIC_CONFIG_FILE_PATH: join(DEPLOY, "temporal-dynamic-config.yaml"),
        },
      }),
    async works(child) {
      const stopped = () => !child.running();
      const ready = await becomesReady(address, namespace, { deadlineMs: DAY_MS, stopped });
      if (!ready) throw new Error("Temporal's server ended");
    },
    // Without its database it does not start.
    mayEndWith: [1],
  });
  await part.start();
  await script("temporal-namespace.sh", {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: NAMESPACE,
    RETENTION: "30d",
  });
  namespace = NAMESPACE;
  await becomesReady(address, namespace, { deadlineMs: DAY_MS });
  return { part, env: { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: NAMESPACE } };
}
