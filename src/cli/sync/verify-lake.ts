import type { Problem } from "../../lake/sync/chain-check.js";
import { checkLake, type LakeReport } from "../../lake/sync/lake-check.js";
import { TABLES } from "../../tables.js";
import { lakeStore } from "../lake/query.js";
import { LAKE_MEMORY_MB, withDuckDb } from "../lake/reader.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";

/** Proves the configured lake, or names what is wrong with it. Returns the exit code. @throws InputError */
export async function verifyLake(terminal: Terminal, { json }: { readonly json?: boolean }): Promise<number> {
  const store = await lakeStore(terminal);
  const report = await withDuckDb((duckdb) => checkLake(store, duckdb, TABLES), {
    memoryLimitMb: LAKE_MEMORY_MB,
  });
  terminal.result(json ? JSON.stringify(report) : textOf(report));
  return report.ok ? EXIT.completed : EXIT.failures;
}

function textOf({ ok, problems, problems_total, ...counts }: LakeReport): string {
  if (!ok) {
    const more = problems_total - problems.length;
    const rest = more > 0 ? [`and ${more} more`] : [];
    return ["broken:", ...problems.map(lineOf), ...rest].join("\n");
  }
  const { links, certificates, rows, files, pending } = counts;
  const proved = `proved: ${certificates} certificates of ${links} links, ${rows} rows of the feed, ${files} files`;
  return pending === 0
    ? proved
    : `${proved}\nnot proved yet: ${pending} links whose run has not ended; run the same sync again`;
}

function lineOf({ table, link_id, run_id, what }: Problem): string {
  const place = [link_id && `link ${link_id}`, run_id && `run ${run_id}`].filter(Boolean);
  return `${place.length === 0 ? `table ${table}` : place.join(", ")}: ${what}`;
}
