import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { readRoster } from "../../intake/sync/roster-file.js";
import { openness } from "../../lake/store/modes.js";
import { findTemporalCli } from "../../temporal/cli/cli-binary.js";
import { connectClient } from "../../temporal/connection.js";
import type { TemporalAddress } from "../../temporal/connection-settings.js";
import { parseEncryptionKeys } from "../../temporal/encryption/keys.js";
import { runningServer } from "../../temporal/server/running-server.js";
import { workerWords } from "../../temporal/worker-identity.js";
import { comparedWorkers } from "../session/other-keys.js";
import { type JobConfig, type Preflight, readJobConfig, runPreflight } from "../session/preflight.js";
import { pingService } from "../session/service.js";
import { exitCodeOf } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

interface CheckFlags {
  readonly roster?: string;
  readonly json?: boolean;
}

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Looks at everything a job needs, each thing by itself; the exit code of the first that failed. */
export async function runCheck(terminal: Terminal, flags: CheckFlags): Promise<number> {
  const findings: Finding[] = [];
  let code = 0;
  const examine = async <R>(check: string, work: () => Promise<R>, words: (found: R) => string) => {
    try {
      const found = await work();
      findings.push({ check, ok: true, detail: words(found) });
      return found;
    } catch (error) {
      code ||= exitCodeOf(error);
      // Several settings that are wrong are a line each.
      for (const detail of (error as Error).message.split("\n")) findings.push({ check, ok: false, detail });
      return undefined;
    }
  };
  await withInterruption(async ({ signal }) => {
    let configuration: JobConfig | undefined;
    const preflight = await examine(
      "configuration, lake and keys",
      async () => {
        configuration = readJobConfig(terminal);
        return runPreflight(terminal, configuration);
      },
      (found) =>
        `${found.config.api.url}, lake ${found.config.lake.address}, ${found.settings.mode} Temporal`,
    );
    if (preflight !== undefined) {
      const { address } = preflight.store;
      await examine("who may read the lake", () => openness(address), String);
    }
    const { roster } = flags;
    if (roster !== undefined) {
      await examine(
        "roster",
        () => readRoster(roster),
        ({ rows }) => `${rows.length} users`,
      );
    }
    if (configuration !== undefined) {
      const { settings, config } = configuration;
      await examine(
        "service",
        () => pingService(config.api),
        () => "reachable, and the key is accepted",
      );
      const report = (message: string) => terminal.say(message);
      if (settings.mode === "cluster") {
        const { encryptionKeys } = readConfig({ env: terminal.env, cwd: terminal.cwd }, [
          "clusterKeys",
        ]).clusterKeys;
        const keys = parseEncryptionKeys(encryptionKeys);
        await examine(
          "temporal",
          async () => (await connectClient(settings, keys)).close(),
          () => `${settings.address}, namespace ${settings.namespace}`,
        );
      } else {
        const env = { ...config.temporal.env, ...terminal.env };
        await examine(
          "temporal",
          () => findTemporalCli({ env, report, signal }),
          ({ path, origin }) => `${path} (${origin})`,
        );
      }
    }
    const isReached = findings.every(({ check, ok }) => ok || check !== "temporal");
    if (preflight !== undefined && isReached) {
      const server = await serverOf(preflight);
      if (server !== undefined) {
        await examine(
          "worker",
          () => checkWorkers(preflight, server),
          (count) =>
            count === 0 ? "none running" : `${count} running, with the same API key as this command`,
        );
      }
    }
  });
  if (flags.json) terminal.result(JSON.stringify(findings));
  else
    for (const { check, ok, detail } of findings)
      terminal.result(`${ok ? "ok  " : "FAIL"} ${check}: ${detail}`);
  return code;
}

/** The Temporal server on which workers of these settings may be; undefined where none runs. */
async function serverOf({ settings, config }: Preflight): Promise<TemporalAddress | undefined> {
  return settings.mode === "cluster" ? settings : runningServer(config.home.path);
}

/**
 * How many workers there are. Their key is this command's, which the service was just asked with.
 *
 * @throws InputError naming each that has another one.
 */
async function checkWorkers(
  { keys, config, taskQueue }: Preflight,
  server: TemporalAddress,
): Promise<number> {
  if (keys === undefined) return 0;
  const { client, close } = await connectClient(server, keys);
  try {
    const { workers, others } = await comparedWorkers({ client, taskQueue, keys, apiKey: config.api.key });
    if (others.length === 0) return workers.length;
    const words = "has a different NIGHTLEDGER_API_KEY than this command; restart it with the right one";
    throw new InputError(others.map((worker) => `${workerWords(worker)} ${words}`).join("\n"));
  } finally {
    await close();
  }
}
