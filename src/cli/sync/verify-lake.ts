import { createDuckDb } from "../../lake/sql/duckdb.js";
import { temporaryScratch } from "../../lake/sql/scratch.js";
import type { Problem } from "../../lake/sync/chain-check.js";
import { checkLake, type LakeReport } from "../../lake/sync/lake-check.js";
import { TABLES } from "../../tables.js";
import { lakeStore } from "../lake/query.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";

const MEMORY_MB = 512;

/** Proves the configured lake, or names what is wrong with it. Returns the exit code. @throws InputError */
export async function verifyLake(terminal: Terminal, { json }: { readonly json?: boolean }): Promise<number> {
  const store = await lakeStore(terminal);
  const duckdb = createDuckDb({ scratchDirectory: await temporaryScratch(), memoryLimitMb: MEMORY_MB });
  let report: LakeReport;
  try {
    report = await checkLake(store, duckdb, TABLES);
  } finally {
    await duckdb.close();
  }
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
