import { createRequire } from "node:module";
import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { type Labelled, labelledLines } from "../../domain/words/texts.js";
import { LAKE_FORMAT } from "../../lake/delta/delta-schema.js";
import { duckdbVersion } from "../../lake/sql/duckdb.js";
import { presentTemporalCli } from "../../temporal/cli/cli-binary.js";
import { cliVersion } from "../../temporal/cli/cli-cache.js";
import { VERSION } from "../../version.js";
import { type JsonFlag, showResult } from "../terminal/colours.js";
import type { Terminal } from "../terminal/terminal.js";
import { withoutStart } from "./check.js";

/** All versions that a bug report needs. */
export async function runVersion(terminal: Terminal, { json }: JsonFlag): Promise<void> {
  const { version: sdk } = createRequire(import.meta.url)("@temporalio/worker/package.json") as {
    version: string;
  };
  const cli = await presentCli(terminal);
  const said = {
    nightledger: VERSION,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    duckdb: duckdbVersion(),
    temporal: { sdk, cli },
    lake: LAKE_FORMAT,
  };
  const { reader_version: reader, writer_versions: writers, writer_features: features } = LAKE_FORMAT;
  const lines: readonly Labelled[] = [
    ["nightledger", VERSION],
    ["node", `${said.node}, ${said.platform}`],
    ["duckdb", said.duckdb],
    ["temporal", [`SDK ${sdk}`, cliWords(cli)]],
    ["lake", `Delta, reader ${reader}, writer ${writers.join(" or ")} (${features.join(", ")})`],
  ];
  showResult(terminal, json, said, () => labelledLines(lines, 11));
}

function cliWords(cli: Awaited<ReturnType<typeof presentCli>>): string {
  if (cli === null) return "no CLI on this machine";
  const { path, version, server } = cli;
  return `CLI ${version ?? "of unknown version"}, server ${server ?? "of unknown version"}: ${path}`;
}

/** The CLI of embedded mode; null for none. */
async function presentCli(terminal: Terminal) {
  const { temporal } = readConfig(terminal, ["temporal"]);
  try {
    const present = await presentTemporalCli({ ...temporal.env, ...terminal.env });
    return "path" in present ? { path: present.path, ...(await cliVersion(present.path)) } : null;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    terminal.say(withoutStart(error.message));
    return null;
  }
}
