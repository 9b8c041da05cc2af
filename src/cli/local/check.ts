import { findTemporalCli } from "../../temporal/cli/cli-binary.js";
import { connectClient } from "../../temporal/connection.js";
import { inspectSurroundings, reachService } from "../session/preflight.js";
import { readRoster } from "../sync/roster-file.js";
import { exitCodeOf } from "../terminal/exit-code.js";
import { interruption } from "../terminal/interruption.js";
import { Releases } from "../terminal/releases.js";
import type { Terminal } from "../terminal/terminal.js";

export interface CheckFlags {
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
  const look = async <R>(check: string, work: () => Promise<R>, words: (found: R) => string) => {
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
  const releases = new Releases();
  try {
    const { signal } = interruption(releases);
    const surroundings = await look(
      "configuration, lake and keys",
      () => inspectSurroundings(terminal),
      (found) =>
        `${found.config.api.url}, lake ${found.config.lake.address}, ${found.settings.mode} Temporal`,
    );
    const { roster } = flags;
    if (roster !== undefined) {
      await look(
        "roster",
        () => readRoster(roster),
        ({ rows }) => `${rows.length} users`,
      );
    }
    if (surroundings !== undefined) {
      const { settings, keys, config } = surroundings;
      await look(
        "service",
        () => reachService(surroundings),
        () => "reached, and the key is accepted",
      );
      const report = (message: string) => terminal.say(message);
      if (settings.mode === "cluster" && keys !== undefined) {
        await look(
          "temporal",
          async () => (await connectClient(settings, keys)).close(),
          () => `${settings.address}, namespace ${settings.namespace}`,
        );
      } else {
        const env = { ...config.temporal.env, ...terminal.env };
        await look(
          "temporal",
          () => findTemporalCli({ env, report, signal }),
          ({ path, origin }) => `${path} (${origin})`,
        );
      }
    }
  } finally {
    await releases.run();
  }
  if (flags.json) terminal.result(JSON.stringify(findings));
  else
    for (const { check, ok, detail } of findings)
      terminal.result(`${ok ? "ok  " : "FAIL"} ${check}: ${detail}`);
  return code;
}
