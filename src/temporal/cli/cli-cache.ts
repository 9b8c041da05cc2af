import { access, constants, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { runTool } from "./tool-process.js";

export type CliEnvironment = Readonly<Record<string, string | undefined>>;

/** `tools/temporal/go.mod` pins it. */
export const TEMPORAL_CLI_VERSION = "1.5.1";

const VERSION_TIMEOUT_MS = 15_000;

/** Below `XDG_CACHE_HOME`, or `~/.cache`. */
export function cliCacheDirectory(env: CliEnvironment): string {
  const xdg = env.XDG_CACHE_HOME;
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env.HOME || homedir(), ".cache");
  return join(base, "nightledger", `temporal-${TEMPORAL_CLI_VERSION}`);
}

export async function findOnPath(name: string, path: string | undefined): Promise<string | undefined> {
  for (const directory of (path ?? "").split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const candidate = join(directory, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Undefined for a Temporal CLI that runs. */
export async function whyNotTemporal(path: string, signal?: AbortSignal): Promise<string | undefined> {
  if (!(await isExecutable(path))) return "is not there or not executable";
  const result = await askVersion(path, signal);
  if (result.failure !== undefined) return `--version ${result.failure}`;
  return /temporal version/i.test(result.output) ? undefined : "does not say that it is the Temporal CLI";
}

/** Versions of a CLI and of its server; null for unknown. */
export async function cliVersion(path: string): Promise<{ version: string | null; server: string | null }> {
  const { output } = await askVersion(path);
  const [, version, server] = /temporal version (\S+)(?: \(Server ([^\s,)]+))?/i.exec(output) ?? [];
  return { version: version ?? null, server: server ?? null };
}

function askVersion(path: string, signal?: AbortSignal) {
  return runTool({
    command: path,
    args: ["--version"],
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: VERSION_TIMEOUT_MS,
    signal,
  });
}
