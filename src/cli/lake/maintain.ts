import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readConfig } from "../../config.js";
import { LEAST_RETAINED_DAYS, type RetentionRules } from "../../domain/tables/retention.js";
import { counted } from "../../domain/words/counted.js";
import { bytesWords } from "../../domain/words/texts.js";
import { lakeAt } from "../../lake/lake.js";
import { type Amount, amountOf } from "../../lake/maintain/last-upkeep.js";
import { type MaintainReport, maintain } from "../../lake/maintain/maintain.js";
import { openStore } from "../../lake/store/open-store.js";
import { TABLES } from "../../tables.js";
import type { MaintainFlags } from "../commands/maintain.js";
import { showText } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";
import { existingLake } from "./query.js";
import { showRows } from "./row-table.js";

/**
 * Maintains the lake without Temporal; the exit code, a failure for a table that should not be left alone.
 * @throws InputError without a writable lake
 */
export async function runMaintain(
  terminal: Terminal,
  { retain = LEAST_RETAINED_DAYS, dryRun = false, json }: MaintainFlags,
  retentionBy: (rules: RetentionRules) => NonNullable<Parameters<typeof maintain>[2]["retention"]>,
): Promise<number> {
  const config = readConfig(terminal, ["home", "institution"]);
  const place = await existingLake(terminal);
  if (!dryRun) await openStore(place).checkWritable("NIGHTLEDGER_LAKE");
  return withInterruption(async ({ signal, releases }) => {
    const lake = lakeAt(place);
    releases.add(() => lake.close());
    const onTable = (table: string, left?: string) => {
      if (left !== undefined) terminal.say(`warning: ${left}`);
      else if (terminal.interactive && !dryRun) terminal.say(`${table} is done`);
    };
    const retention = retentionBy(config.institution.retention);
    const report = await maintain(lake, TABLES, { retainDays: retain, dryRun, signal, retention, onTable });
    const home = await homeSizes(config.home.path);
    if (json) terminal.result(JSON.stringify({ ...report, home }));
    else showReport(terminal, report, home);
    return report.left_alone.every((one) => one.by_owner) ? EXIT.completed : EXIT.failures;
  });
}

type HomeSizes = Awaited<ReturnType<typeof homeSizes>>;

/** Both bound themselves (docs/inside/decisions/0046-upkeep.md). */
async function homeSizes(home: string) {
  const names = await readdir(home).catch(() => []);
  const sizeOf = async (pattern: RegExp) => {
    const found = await Promise.all(
      names.filter((name) => pattern.test(name)).map((name) => stat(join(home, name)).catch(() => undefined)),
    );
    return amountOf(found.filter((one) => one !== undefined));
  };
  return { temporal: await sizeOf(/^temporal\.db/), logs: await sizeOf(/\.log(\.|$)/) };
}

function showReport(terminal: Terminal, report: MaintainReport, home: HomeSizes): void {
  const { dry_run, merged, live, old_files, logs, staging, unknown, old_before, retention } = report;
  for (const { class: record, until, tables } of retention) {
    const what =
      tables.length === 0 ? "nothing" : tables.map(({ table, rows }) => `${rows} of ${table}`).join(", ");
    const day = until === null ? "" : ` until ${until}`;
    showText(terminal, `${record}${day}: ${dry_run ? "would erase" : "erased"} ${what}`);
  }
  const rows = [
    row("files of tables", live),
    row("replaced files", old_files.kept, old_files.freed),
    row("logs of tables", logs.kept, logs.freed),
    row("staging", staging.kept, staging.freed),
    ...(home.temporal.files === 0 ? [] : [row("Temporal's database", home.temporal)]),
    ...(home.logs.files === 0 ? [] : [row("logs of this HOME", home.logs)]),
    ...(unknown.files === 0 ? [] : [row("files that no table knows", unknown)]),
  ];
  const why =
    old_before === null
      ? "no run has heard the time from the service, so nothing goes: sync, and see that a proxy leaves the service's Date in its answers"
      : `what was needed after ${old_before} stays`;
  const files = `${counted(merged.before, "file")} of tables ${dry_run ? "would become" : "became"} ${merged.after}`;
  showRows(terminal, rows);
  showText(terminal, [`${files}; ${why}`, ...(dry_run ? ["nothing was changed"] : [])]);
}

function row(what: string, kept: Amount, freed?: Amount) {
  return { what, kept: amountWords(kept), freed: freed === undefined ? "" : amountWords(freed) };
}

function amountWords({ files, bytes }: Amount): string {
  return files === 0 ? "nothing" : `${counted(files, "file")}, ${bytesWords(bytes)}`;
}
