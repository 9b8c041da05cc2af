import type { Command } from "commander";
import { findTemporalCli } from "../../temporal/cli-binary.js";
import { connectClient } from "../../temporal/connection.js";
import { exitCodeOf } from "../exit-code.js";
import { interruption } from "../interruption.js";
import { inspectSurroundings, reachService } from "../job-surroundings.js";
import type { AddCommand } from "../main.js";
import { Releases } from "../releases.js";
import { readRoster } from "../roster-file.js";

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** An id that nobody has: any answer but a refused key shows that the service is there. */
const NOBODY = "nightledger-check";

/** `nightledger check` */
export const checkCommand: AddCommand = (program: Command, terminal, end) => {
  program
    .command("check")
    .description(
      "look at configuration, lake, keys, service and Temporal as a job would; write nothing to the lake",
    )
    .option("--roster <file>", "check this roster too")
    .option("--json", "print an array of findings on standard output")
    .action(async (flags: { readonly roster?: string; readonly json?: boolean }) => {
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
            () => reachService(surroundings, NOBODY),
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
      end(code);
    });
};
