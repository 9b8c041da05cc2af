import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { InputError, UnreachableError } from "../../domain/failures.js";
import { acquireLock } from "../server/file-lock.js";
import {
  type CliEnvironment,
  cliCacheDirectory,
  findOnPath,
  isExecutable,
  TEMPORAL_CLI_VERSION,
  whyNotTemporal,
} from "./cli-cache.js";
import { buildCli, type CliDownload, downloadCli, goModuleDirectory, sdkDownload } from "./cli-install.js";

export interface CliSearch {
  /** Where to look, and what `go` and a download need. */
  readonly env: CliEnvironment;
  readonly report: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** Default: the SDK's own. */
  readonly download?: CliDownload;
  /** The folder of the `go.mod` that pins the CLI; default: this installation's. */
  readonly moduleDirectory?: string;
}

interface TemporalCli {
  readonly path: string;
  readonly origin: "TEMPORAL_CLI_PATH" | "PATH" | "cache" | "download" | "build";
}

const INSTALL_WAIT_MS = 2_400_000;

/**
 * Finds or installs the Temporal CLI (docs/run/configuration.md, "Temporal CLI"); two processes at once install once.
 * @throws InputError when `TEMPORAL_CLI_PATH` is no Temporal CLI; UnreachableError, naming each attempt; the signal's
 * reason
 */
export async function findTemporalCli(search: CliSearch): Promise<TemporalCli> {
  const present = await presentTemporalCli(search.env, search.signal);
  return "path" in present ? present : install(search, cliCacheDirectory(search.env), [...present.tried]);
}

/**
 * Finds the CLI, or says where it is not; installs nothing.
 * @throws InputError when `TEMPORAL_CLI_PATH` is no Temporal CLI; the signal's reason
 */
export async function presentTemporalCli(
  env: CliEnvironment,
  signal?: AbortSignal,
): Promise<TemporalCli | { readonly tried: readonly string[] }> {
  const given = env.TEMPORAL_CLI_PATH;
  if (given !== undefined && given !== "") {
    const wrong = await whyNotTemporal(given, signal);
    if (wrong === undefined) return { path: given, origin: "TEMPORAL_CLI_PATH" };
    throw new InputError(
      `TEMPORAL_CLI_PATH: ${given} ${wrong}. Nothing was started. ` +
        "Name a `temporal` binary, or unset the variable to have one found or installed.",
    );
  }
  const tried = ["TEMPORAL_CLI_PATH: not set"];
  const onPath = await findOnPath("temporal", env.PATH);
  if (onPath === undefined) tried.push("PATH: no `temporal`");
  else {
    const wrong = await whyNotTemporal(onPath, signal);
    if (wrong === undefined) return { path: onPath, origin: "PATH" };
    tried.push(`PATH: ${onPath} ${wrong}`);
  }
  const cached = join(cliCacheDirectory(env), "temporal");
  if (await isExecutable(cached)) return { path: cached, origin: "cache" };
  return { tried: [...tried, `cache: no ${cached}`] };
}

async function install(search: CliSearch, directory: string, tried: string[]): Promise<TemporalCli> {
  const cached = join(directory, "temporal");
  const unlock = await lockCache(search, directory, tried);
  try {
    if (await isExecutable(cached)) return { path: cached, origin: "cache" };
    for (const [origin, step] of Object.entries({ download, build })) {
      try {
        const file = await step(search, await emptyPartial(directory));
        await chmod(file, 0o755);
        const wrong = await whyNotTemporal(file, search.signal);
        if (wrong !== undefined) throw new Error(`the result ${wrong}`);
        await rename(file, cached);
        return { path: cached, origin: origin as "download" | "build" };
      } catch (error) {
        search.signal?.throwIfAborted();
        tried.push(`${origin}: ${(error as Error).message}`);
      }
    }
  } finally {
    await rm(join(directory, "partial"), { recursive: true, force: true });
    await unlock();
  }
  throw nothingWorked(tried);
}

async function lockCache(
  search: CliSearch,
  directory: string,
  tried: string[],
): Promise<() => Promise<void>> {
  try {
    await mkdir(directory, { recursive: true });
    return await acquireLock(join(directory, "lock"), {
      guards: "the installation of the Temporal CLI",
      waitMs: INSTALL_WAIT_MS,
      report: search.report,
      signal: search.signal,
    });
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    tried.push(`download and build: ${directory} can't be written (${code})`);
    throw nothingWorked(tried);
  }
}

async function download(search: CliSearch, partial: string): Promise<string> {
  search.report(`No Temporal CLI found; downloading ${TEMPORAL_CLI_VERSION}.`);
  return downloadCli(search.download ?? sdkDownload(), partial, search.env, search.signal);
}

async function build(search: CliSearch, partial: string): Promise<string> {
  const target = join(partial, "temporal");
  const moduleDirectory = search.moduleDirectory ?? goModuleDirectory();
  await buildCli(moduleDirectory, target, search.env, search.report, search.signal);
  return target;
}

// Only touched under the lock: the next installation clears what a killed one left.
async function emptyPartial(directory: string): Promise<string> {
  const partial = join(directory, "partial");
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial);
  return partial;
}

function nothingWorked(tried: readonly string[]): UnreachableError {
  return new UnreachableError(
    `There is no Temporal CLI for the embedded mode. Tried:\n${tried.map((line) => `  ${line}`).join("\n")}\n` +
      "Nothing was started. Install the Temporal CLI and set TEMPORAL_CLI_PATH to it, or install Go and try " +
      "again, or set TEMPORAL_ADDRESS to a Temporal server.",
  );
}
