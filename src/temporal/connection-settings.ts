import { existsSync } from "node:fs";
import type { WorkerDeploymentVersion } from "@temporalio/common";
import { loadClientConnectConfig } from "@temporalio/envconfig";
import { InputError } from "../domain/failures.js";

type ConnectConfig = ReturnType<typeof loadClientConnectConfig>["connectionOptions"];

export interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string | undefined;
  readonly tls?: ConnectConfig["tls"];
  readonly metadata?: ConnectConfig["metadata"];
}

/** The embedded server in HOME, or a cluster. */
export type TemporalSettings =
  | { readonly mode: "embedded" }
  | ({
      readonly mode: "cluster";
      /** Default: whatever is in the task queue. */
      readonly version?: WorkerDeploymentVersion;
    } & TemporalAddress);

const HEADER_PREFIX = "TEMPORAL_GRPC_META_";

/**
 * Reads the `TEMPORAL_*` settings as `@temporalio/envconfig` does, its file only when `TEMPORAL_PROFILE` or
 * `TEMPORAL_CONFIG_FILE` asks for it; without an address, embedded.
 * @throws InputError when a file, profile or certificate can't be used
 */
export function resolveTemporal(env: Readonly<Record<string, string | undefined>>): TemporalSettings {
  const overrideEnvVars = settingsOf(env);
  const file = overrideEnvVars.TEMPORAL_CONFIG_FILE;
  // To the SDK a missing file is an empty one, so a cluster would become an embedded server.
  if (file !== undefined && !existsSync(file)) {
    throw new InputError(`TEMPORAL_CONFIG_FILE: ${file} does not exist. Name a Temporal configuration file.`);
  }
  const disableFile = file === undefined && overrideEnvVars.TEMPORAL_PROFILE === undefined;
  let config: ReturnType<typeof loadClientConnectConfig>;
  try {
    config = loadClientConnectConfig({ disableFile, overrideEnvVars });
  } catch (error) {
    throw new InputError(
      `The TEMPORAL_* settings can't be used: ${(error as Error).message}. Nothing was started. ` +
        "Check TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and the TEMPORAL_TLS_* paths.",
      { cause: error },
    );
  }
  const { address, apiKey, tls, metadata } = config.connectionOptions;
  if (address === undefined || address === "") return { mode: "embedded" };
  const version = versionOf(overrideEnvVars);
  const namespace = config.namespace || "default";
  return { mode: "cluster", address, namespace, apiKey, tls, metadata, ...(version && { version }) };
}

/** Given by Temporal's Worker Controller, or whoever starts a worker. */
function versionOf(env: Readonly<Record<string, string>>): WorkerDeploymentVersion | undefined {
  const { TEMPORAL_DEPLOYMENT_NAME: deploymentName, TEMPORAL_WORKER_BUILD_ID: buildId } = env;
  if (deploymentName !== undefined && buildId !== undefined) return { deploymentName, buildId };
  if (deploymentName === undefined && buildId === undefined) return undefined;
  const [given, missing] =
    buildId === undefined
      ? ["TEMPORAL_DEPLOYMENT_NAME", "TEMPORAL_WORKER_BUILD_ID"]
      : ["TEMPORAL_WORKER_BUILD_ID", "TEMPORAL_DEPLOYMENT_NAME"];
  throw new InputError(
    `${given} is set, and ${missing} is not: a worker's version needs both. Nothing was started. Set both, or neither.`,
  );
}

// An empty variable is not set, except a header, which an empty value removes.
function settingsOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (value !== "" || name.startsWith(HEADER_PREFIX))) settings[name] = value;
  }
  return settings;
}
