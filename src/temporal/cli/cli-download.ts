import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CliEnvironment, TEMPORAL_CLI_VERSION } from "./cli-cache.js";
import { runTool } from "./tool-process.js";

/** Gets a CLI into a directory: the SDK's own download, or a stand-in for it in tests. */
export interface CliDownload {
  /** A program that leaves the executable in the directory it is given as its last argument. */
  readonly command: string;
  readonly args: readonly string[];
  /** A download that brings no byte for this long is ended. */
  readonly stallMs: number;
  readonly timeoutMs: number;
}

export type StepResult = { readonly file: string } | { readonly failure: string };

const STALL_MS = 20_000;
const TIMEOUT_MS = 600_000;

// In a process of its own: the SDK's download can't be interrupted and would keep the command alive.
const SCRIPT = `
const [testing, version, directory] = process.argv.slice(1);
const { TestWorkflowEnvironment } = await import(testing);
const executable = { type: "cached-download", version, downloadDir: directory };
try {
  const environment = await TestWorkflowEnvironment.createLocal({ server: { executable } });
  await environment.teardown();
} catch (error) {
  process.stderr.write(String(error?.message).slice(0, 400));
  process.exitCode = 1;
}`;

export function sdkDownload(): CliDownload {
  const testing = pathToFileURL(createRequire(import.meta.url).resolve("@temporalio/testing")).href;
  return {
    command: process.execPath,
    args: ["--input-type=module", "-e", SCRIPT, testing, `v${TEMPORAL_CLI_VERSION}`],
    stallMs: STALL_MS,
    timeoutMs: TIMEOUT_MS,
  };
}

/**
 * Runs a download into a directory, which the caller clears away. Offline it fails within a second; a network
 * that swallows everything is given up after `stallMs`.
 */
export async function downloadCli(
  download: CliDownload,
  directory: string,
  env: CliEnvironment,
  signal?: AbortSignal,
): Promise<StepResult> {
  let size = 0;
  let grewAtMs = 0;
  const watch = async (elapsedMs: number) => {
    const now = await sizeOf(directory);
    if (now !== size) [size, grewAtMs] = [now, elapsedMs];
    return elapsedMs - grewAtMs > download.stallMs
      ? `brought nothing for ${Math.round(download.stallMs / 1000)} s`
      : undefined;
  };
  const { command, args, timeoutMs } = download;
  const result = await runTool({
    command,
    args: [...args, directory],
    env: { ...env },
    timeoutMs,
    signal,
    watch,
  });
  if (result.failure !== undefined) return { failure: `${result.failure} (…${result.output.slice(-160)})` };
  const [name] = await readdir(directory);
  return name === undefined ? { failure: "left no file" } : { file: join(directory, name) };
}

async function sizeOf(directory: string): Promise<number> {
  let size = 0;
  for (const name of await readdir(directory)) size += (await stat(join(directory, name))).size;
  return size;
}
