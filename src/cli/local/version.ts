import { createRequire } from "node:module";
import { version as duckdbVersion } from "@duckdb/node-api";
import { LAKE_PROTOCOL } from "../../lake/delta/delta-protocol.js";
import { VERSION } from "../../version.js";
import type { Terminal } from "../terminal/terminal.js";

/** Says which versions make up this program: for a report of a problem. */
export function showVersion(terminal: Terminal, json: boolean): void {
  const { version: temporal } = createRequire(import.meta.url)("@temporalio/worker/package.json") as {
    readonly version: string;
  };
  const versions = {
    nightledger: VERSION,
    node: process.versions.node,
    duckdb: duckdbVersion().replace(/^v/, ""),
    temporal_sdk: temporal,
    lake_format: LAKE_PROTOCOL,
  };
  const lines = Object.entries(versions).map(
    ([name, version]) => `${name.replace("_", " ").padEnd(13)}${version}`,
  );
  terminal.result(json ? JSON.stringify(versions) : lines.join("\n"));
}
