import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type CliEnvironment, findOnPath, TEMPORAL_CLI_VERSION } from "./cli-cache.js";
import { runTool } from "./tool-process.js";

/** Gets a CLI into a directory: the SDK's download, or a test's. */
export interface CliDownload {
  /** Its last argument is the directory for the executable. */
  readonly command: string;
  readonly args: readonly string[];
  /** Without a byte for so long, it is ended. */
  readonly stallMs: number;
  readonly timeoutMs: number;
}

const STALL_MS = 20_000;
const DOWNLOAD_TIMEOUT_MS = 600_000;

// The SDK's download can't be interrupted, and would keep the command alive.
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
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  };
}

/**
 * Downloads into a directory, which the caller clears; gives up a silent network after `stallMs`. @throws Error saying
 * why there is no file
 */
export async function downloadCli(
  download: CliDownload,
  directory: string,
  env: CliEnvironment,
  signal?: AbortSignal,
): Promise<string> {
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
  const run = { command, args: [...args, directory], env: { ...env }, timeoutMs, signal, watch };
  const { failure, output } = await runTool(run);
  if (failure !== undefined) throw new Error(`${failure} (…${output.slice(-160)})`);
  const [name] = await readdir(directory);
  if (name === undefined) throw new Error("left no file");
  return join(directory, name);
}

async function sizeOf(directory: string): Promise<number> {
  let size = 0;
  for (const name of await readdir(directory)) size += (await stat(join(directory, name))).size;
  return size;
}

const PACKAGE = "github.com/temporalio/cli/cmd/temporal";
const BUILD_TIMEOUT_MS = 1_800_000;
const REPORT_EVERY_MS = 15_000;

/** Of this installation, from sources or `dist`. */
export function goModuleDirectory(): string | undefined {
  const roots = ["../../..", "../../../.."].map((up) => fileURLToPath(new URL(up, import.meta.url)));
  const candidates = roots.map((root) => join(root, "tools", "temporal"));
  return candidates.find((candidate) => existsSync(join(candidate, "go.mod")));
}

/**
 * Builds the pinned CLI with `go`; says every 15 s how long it has taken.
 * @throws Error saying why it could not be built
 */
export async function buildCli(
  moduleDirectory: string | undefined,
  target: string,
  env: CliEnvironment,
  report: (message: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  if (moduleDirectory === undefined) throw new Error("tools/temporal/go.mod is not in this installation");
  const go = await findOnPath("go", env.PATH);
  if (go === undefined) throw new Error("no `go` on the PATH");
  report("Building the Temporal CLI, once: 2 to 4 minutes on two cores.");
  let nextReportMs = REPORT_EVERY_MS;
  const { failure, output } = await runTool({
    command: go,
    args: ["build", "-trimpath", "-ldflags", "-s -w", "-o", target, PACKAGE],
    cwd: moduleDirectory,
    env: withoutSecrets(env),
    timeoutMs: BUILD_TIMEOUT_MS,
    signal,
    watch: async (elapsedMs) => {
      if (elapsedMs >= nextReportMs) {
        nextReportMs += REPORT_EVERY_MS;
        report(`Building the Temporal CLI: ${Math.round(elapsedMs / 1000)} s so far.`);
      }
      return undefined;
    },
  });
  if (failure !== undefined) throw new Error(`${failure} (${output.slice(-600)})`);
}

// Go needs proxies, caches and its own settings, not ours.
function withoutSecrets(env: CliEnvironment): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(NIGHTLEDGER|TEMPORAL)_/.test(name)));
}
