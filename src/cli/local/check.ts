import { readRoster } from "../../intake/sync/roster-file.js";
import { openness } from "../../lake/store/modes.js";
import { findTemporalCli } from "../../temporal/cli/cli-binary.js";
import { connectClient } from "../../temporal/connection.js";
import { runPreflight } from "../session/preflight.js";
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
      findings.push({ check, ok: false, detail: (error as Error).message });
      return undefined;
    }
  };
  await withInterruption(async ({ signal }) => {
    const preflight = await examine(
      "configuration, lake and keys",
      () => runPreflight(terminal),
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
    if (preflight !== undefined) {
      const { settings, keys, config } = preflight;
      await examine(
        "service",
        () => pingService(config.api),
        () => "reached, and the key is accepted",
      );
      const report = (message: string) => terminal.say(message);
      if (settings.mode === "cluster" && keys !== undefined) {
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
  });
  if (flags.json) terminal.result(JSON.stringify(findings));
  else
    for (const { check, ok, detail } of findings)
      terminal.result(`${ok ? "ok  " : "FAIL"} ${check}: ${detail}`);
  return code;
}
