import { UnreachableError } from "../../domain/failures.js";
import { counted } from "../../domain/words/counted.js";
import { readRoster } from "../../intake/sync/roster-file.js";
import { connectClient } from "../../temporal/connection.js";
import type { TemporalAddress } from "../../temporal/connection-settings.js";
import { parseEncryptionKeys } from "../../temporal/encryption/keys.js";
import { runningServer } from "../../temporal/server/embedded-server.js";
import { workersOf } from "../../temporal/worker-identity.js";
import { type JobConfig, type Preflight, readJobConfig, runPreflight } from "../session/preflight.js";
import { openServiceClient, pingService } from "../session/service.js";
import { installedCli } from "../session/temporal-session.js";
import { showResult } from "../terminal/colours.js";
import { exitCodeOf } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";
import { behaviourOf } from "./service-behaviour.js";

/** `check` starts nothing, so it leaves these words out. */
const NOTHING_STARTED = /; nothing was started(?=[.;])|(^| )Nothing was started\./;

export function withoutStart(message: string): string {
  return message.replace(NOTHING_STARTED, "").trim();
}

const NOT_PROVEN =
  "So it is not known whether it works and accepts the key. Check again in some minutes; if it stays so, check NIGHTLEDGER_API_URL";

const ASK_MS = 2_000;

interface CheckFlags {
  readonly roster?: string;
  readonly json?: boolean;
}

/** Checks all that a job needs; the exit code of the first failure. */
export async function runCheck(terminal: Terminal, flags: CheckFlags): Promise<number> {
  const report = new CheckReport();
  await withInterruption(({ signal }) => checkAll(terminal, flags, report, signal));
  showResult(terminal, flags.json, { items: report.findings }, ({ items }) =>
    items.map(({ check, ok, detail }) => `${ok ? "ok  " : "FAIL"} ${check}: ${detail}`),
  );
  return report.code;
}

export class CheckReport {
  readonly findings: { readonly check: string; readonly ok: boolean; readonly detail: string }[] = [];
  code = 0;

  async add<R>(check: string, work: () => Promise<R>, words: (found: R) => string): Promise<R | undefined> {
    try {
      const found = await work();
      this.findings.push({ check, ok: true, detail: words(found) });
      return found;
    } catch (error) {
      this.code ||= exitCodeOf(error);
      // A line for each wrong setting.
      for (const detail of (error as Error).message.split("\n"))
        this.findings.push({ check, ok: false, detail: withoutStart(detail) });
      return undefined;
    }
  }
}

async function checkAll(
  terminal: Terminal,
  { roster }: CheckFlags,
  report: CheckReport,
  signal: AbortSignal,
): Promise<void> {
  const { configuration, preflight } = await checkHere(terminal, report);
  const store = preflight?.store;
  if (store?.address.startsWith("s3:"))
    await report.add(
      "bucket",
      () => store.checkRequests(),
      () => "supports every request that a lake needs",
    );
  const read =
    roster === undefined
      ? undefined
      : await report.add(
          "roster",
          () => readRoster(roster),
          ({ rows }) => counted(rows.length, "user"),
        );
  if (configuration === undefined) return;
  const { api } = configuration.config;
  const isThere = await report.add(
    "service",
    async () => {
      const doubt = await pingService(api);
      if (doubt !== undefined)
        throw new UnreachableError(`${api.url} gives no usable answer: ${doubt}. ${NOT_PROVEN}`);
      return true;
    },
    () => "reachable, and the key is accepted",
  );
  const [user] = read?.rows ?? [];
  if (isThere && user) {
    const client = openServiceClient(api);
    await report
      .add("behaviour", () => behaviourOf(client, user.fp_id), String)
      .finally(() => client.close());
  }
  const temporal = await checkTemporal(terminal, configuration, report, signal);
  if (preflight === undefined || temporal === undefined) return;
  const { settings, config } = preflight;
  const server = settings.mode === "cluster" ? settings : await runningServer(config.home.path);
  if (server === undefined) return;
  await report.add(
    "worker",
    () => countWorkers(preflight, server),
    (count) => (count === 0 ? "none running" : `${count} running`),
  );
}

/** The checks without a call of the service or of Temporal; a part that failed is undefined. */
export async function checkHere(
  terminal: Terminal,
  report: CheckReport,
): Promise<{ readonly configuration: JobConfig | undefined; readonly preflight: Preflight | undefined }> {
  let configuration: JobConfig | undefined;
  const preflight = await report.add(
    "configuration, lake and keys",
    async () => {
      configuration = readJobConfig(terminal);
      return runPreflight(terminal, configuration);
    },
    ({ config, settings }) => `${config.api.url}, lake ${config.lake.address}, ${settings.mode} Temporal`,
  );
  if (preflight !== undefined)
    await report.add("who may read the lake", () => preflight.store.openness(), String);
  return { configuration, preflight };
}

/** Connects to the cluster, or finds the CLI for embedded mode. */
async function checkTemporal(
  terminal: Terminal,
  configuration: JobConfig,
  report: CheckReport,
  signal: AbortSignal,
): Promise<unknown> {
  const { config, settings } = configuration;
  if (settings.mode === "cluster") {
    const keys = parseEncryptionKeys(config.keys.encryptionKeys ?? "");
    const connect = async () => {
      await (await connectClient(settings, keys)).close();
      return settings;
    };
    return report.add("temporal", connect, ({ address, namespace }) => `${address}, namespace ${namespace}`);
  }
  return report.add(
    "temporal",
    () => installedCli(terminal, configuration, signal),
    ({ path, origin }) => `${path} (${origin})`,
  );
}

async function countWorkers({ keys, taskQueue }: Preflight, server: TemporalAddress): Promise<number> {
  if (keys === undefined) return 0;
  const { client, close } = await connectClient(server, keys);
  try {
    const asked = client.connection.withDeadline(Date.now() + ASK_MS, () => workersOf(client, taskQueue));
    return (await asked).length;
  } finally {
    await close();
  }
}
