import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CliEnvironment, findOnPath } from "./cli-cache.js";
import type { StepResult } from "./cli-download.js";
import { runTool } from "./tool-process.js";

const PACKAGE = "github.com/temporalio/cli/cmd/temporal";
const TIMEOUT_MS = 1_800_000;
const REPORT_EVERY_MS = 15_000;

/** `tools/temporal` of this installation, whether it runs from the sources or from `dist`. */
export function goModuleDirectory(): string | undefined {
  const roots = ["../../..", "../../../.."].map((up) => fileURLToPath(new URL(up, import.meta.url)));
  const candidates = roots.map((root) => join(root, "tools", "temporal"));
  return candidates.find((candidate) => existsSync(join(candidate, "go.mod")));
}

/** Builds the pinned CLI with the `go` on the `PATH` into a file; says every 15 s how long it has taken. */
export async function buildCli(
  moduleDirectory: string | undefined,
  target: string,
  env: CliEnvironment,
  report: (message: string) => void,
  signal?: AbortSignal,
): Promise<StepResult> {
  if (moduleDirectory === undefined) return { failure: "tools/temporal/go.mod is not in this installation" };
  const go = await findOnPath("go", env.PATH);
  if (go === undefined) return { failure: "no `go` on the PATH" };
  report("Building the Temporal CLI, once: 2 to 4 minutes on two cores.");
  let nextReportMs = REPORT_EVERY_MS;
  const result = await runTool({
    command: go,
    args: ["build", "-trimpath", "-ldflags", "-s -w", "-o", target, PACKAGE],
    cwd: moduleDirectory,
    env: withoutSecrets(env),
    timeoutMs: TIMEOUT_MS,
    signal,
    watch: async (elapsedMs) => {
      if (elapsedMs >= nextReportMs) {
        nextReportMs += REPORT_EVERY_MS;
        report(`Building the Temporal CLI: ${Math.round(elapsedMs / 1000)} s so far.`);
      }
      return undefined;
    },
  });
  return result.failure === undefined
    ? { file: target }
    : { failure: `${result.failure} (${result.output.slice(-600)})` };
}

// Go needs proxies, caches and its own settings, whatever their names; it does not need ours.
function withoutSecrets(env: CliEnvironment): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(NIGHTLEDGER|TEMPORAL)_/.test(name)));
}
