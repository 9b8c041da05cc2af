import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findOnPath } from "../../src/temporal/cli/cli-cache.js";
import { runTool } from "../../src/temporal/cli/tool-process.js";
import { acquireLock } from "../../src/temporal/server/file-lock.js";

const BUILD_MS = 1_800_000;

/** Programs of one Go module that tests run as they are. */
export interface GoTools {
  /** Its folder below `tools/`, whose `go.mod` pins the version. */
  readonly module: string;
  readonly version: string;
  /** The package of each program, by the program's name. */
  readonly programs: Readonly<Record<string, string>>;
}

/** The folder of the built programs: below `XDG_CACHE_HOME`, or `~/.cache`. */
function cacheOf({ module, version }: GoTools): string {
  const base = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  return join(base, "nightledger", `${module}-${version}`);
}

function areBuilt(tools: GoTools): boolean {
  return Object.keys(tools.programs).every((name) => existsSync(join(cacheOf(tools), name)));
}

/** Why these programs can't be had; undefined where they are built, or there is Go to build them with. */
export async function whyNoGoTools(tools: GoTools): Promise<string | undefined> {
  if (areBuilt(tools) || (await findOnPath("go", process.env.PATH)) !== undefined) return undefined;
  return `no Go to build ${tools.module} with`;
}

/** The folder with the programs, which are built once where they have not been. */
export async function builtGoTools(tools: GoTools): Promise<string> {
  const directory = cacheOf(tools);
  if (areBuilt(tools)) return directory;
  await mkdir(directory, { recursive: true });
  const unlock = await acquireLock(join(directory, "lock"), {
    guards: `the build of ${tools.module}`,
    waitMs: BUILD_MS,
    report: () => undefined,
  });
  try {
    for (const [name, source] of Object.entries(tools.programs)) {
      const program = join(directory, name);
      if (existsSync(program)) continue;
      const partial = `${program}.partial`;
      const { failure, output } = await runTool({
        command: "go",
        args: ["build", "-trimpath", "-ldflags", "-s -w", "-o", partial, source],
        cwd: fileURLToPath(new URL(`../../tools/${tools.module}`, import.meta.url)),
        env: process.env,
        timeoutMs: BUILD_MS,
      });
      if (failure !== undefined) throw new Error(`${name} can't be built: ${failure}\n${output}`);
      await rename(partial, program);
    }
    return directory;
  } finally {
    await unlock();
  }
}
