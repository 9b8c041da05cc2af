import { existsSync } from "node:fs";
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

/** What the `TEMPORAL_*` settings say: the embedded server in HOME, or a cluster. */
export type TemporalSettings =
  | { readonly mode: "embedded" }
  | ({ readonly mode: "cluster" } & TemporalAddress);

const HEADER_PREFIX = "TEMPORAL_GRPC_META_";

/**
 * Reads the `TEMPORAL_*` settings as `@temporalio/envconfig` does, over the environment given. Its file is read
 * only when `TEMPORAL_PROFILE` or `TEMPORAL_CONFIG_FILE` asks for it; no address means the embedded mode.
 *
 * @throws InputError when a file, profile or certificate they name can't be used.
 */
export function resolveTemporal(env: Readonly<Record<string, string | undefined>>): TemporalSettings {
  const overrideEnvVars = settingsOf(env);
  const file = overrideEnvVars.TEMPORAL_CONFIG_FILE;
  // The SDK takes a missing file for an empty one, and a cluster would silently become an embedded server.
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
  return { mode: "cluster", address, namespace: config.namespace || "default", apiKey, tls, metadata };
}

// Compose files and `.env` leave variables empty to mean unset; an empty header removes one and is kept.
function settingsOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (value !== "" || name.startsWith(HEADER_PREFIX))) settings[name] = value;
  }
  return settings;
}
