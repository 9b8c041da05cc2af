import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { InputError } from "../../domain/failures.js";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { counted } from "../../domain/words/counted.js";
import { judgeRows } from "../../intake/bulk/input-rows.js";
import { type Roster, readRoster } from "../../intake/sync/roster-file.js";
import { startSync } from "../../intake/sync/start.js";
import { cipJob } from "../../jobs/cip.js";
import { importJob } from "../../jobs/import.js";
import type { AnyJob } from "../../jobs/job.js";
import { cipKind } from "../../jobs/kinds/cip.js";
import { importKind } from "../../jobs/kinds/import.js";
import { defaultStreams, STREAMS } from "../../streams/index.js";
import { showReport } from "../board/report.js";
import { newRun } from "../bulk/command.js";
import { rowsOf, withLakeQuery } from "../lake/query.js";
import { showRows } from "../lake/row-table.js";
import { type JobSession, openJobSession } from "../session/job-session.js";
import { placeOf, runPreflight } from "../session/preflight.js";
import { followRun, type JobRun } from "../shell/run.js";
import { runExplain } from "../sync/explain.js";
import { syncRun } from "../sync/form.js";
import { showText } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

const MARKER = ".made-by-nightledger-demo";
const POPULATION = { kind: "synthetic", users: 25, linksPerUser: 2, rows: 400, seed: 7 } as const;
const OPTIONS = { streams: defaultStreams(STREAMS), links: null, full: false, pageSize: 500 } as const;

/** Runs two nights, an import and an export against a stand-in, and shows the result. Returns the exit code. */
export async function runDemo(
  outer: Terminal,
  { directory }: { readonly directory: string },
): Promise<number> {
  const home = resolve(outer.cwd, directory);
  await makeEmpty(home);
  return withInterruption(async (held) => {
    const sandbox = await startSandbox({ population: POPULATION, latencyMs: 5 });
    held.releases.add(() => sandbox.close());
    const terminal = inside(outer, home, sandbox.url, sandbox.apiKey);
    const rosterPath = join(home, "users.csv");
    await sandbox.writeRoster(rosterPath);
    const preflight = await runPreflight(terminal);
    const roster = await readRoster(rosterPath);
    terminal.say(`stand-in service at ${sandbox.url}: ${counted(roster.rows.length, "user")}`);
    const session = await openJobSession(terminal, preflight, held);
    terminal.say("\nfirst night: the full history from the banks");
    const first = await night(terminal, session, roster);
    if (first === undefined) return EXIT.failures;
    terminal.say("\nan import: three rows from a file, each exactly once");
    const imported = await importRows(terminal, session, sandbox, home);
    if (imported === undefined) return EXIT.failures;
    sandbox.advance({ days: 3, seed: 7 });
    terminal.say(
      "\nthree days later: new, changed, posted and removed rows, and the imported rows come back",
    );
    const second = await night(terminal, session, roster);
    if (second === undefined) return EXIT.failures;
    terminal.say("\na CIP export: every user's report in one self-verifying pack");
    const pack = await exportReports(terminal, session, rosterPath);
    if (pack === undefined) return EXIT.failures;
    const shown = { directory: relative(outer.cwd, home) || ".", pack: relative(outer.cwd, pack) };
    await showOutcome(terminal, shown, [first, second]);
    return EXIT.completed;
  });
}

async function makeEmpty(home: string): Promise<void> {
  const entries = await readdir(home).catch((): string[] => []);
  if (entries.length > 0 && !entries.includes(MARKER)) {
    throw new InputError(
      `--directory: ${home} contains files that no demo created. Choose a new or empty directory.`,
    );
  }
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  await writeFile(join(home, MARKER), "");
}

/** Makes the demo's own environment, which leaves the user's configuration alone. */
function inside(outer: Terminal, home: string, url: string, key: string): Terminal {
  const kept = Object.entries(outer.env).filter(
    ([name]) => !/^(NIGHTLEDGER|TEMPORAL)_/.test(name) || name === "TEMPORAL_CLI_PATH",
  );
  const env = {
    ...Object.fromEntries(kept),
    NIGHTLEDGER_API_URL: url,
    NIGHTLEDGER_API_KEY: key,
    NIGHTLEDGER_LAKE: join(home, "lake"),
    NIGHTLEDGER_HOME: join(home, "home"),
  };
  return { ...outer, env, cwd: home };
}

async function night(
  terminal: Terminal,
  session: JobSession,
  roster: Roster,
): Promise<SyncSummary | undefined> {
  const { preflight } = session;
  const run = syncRun(terminal, ({ temporal }) =>
    startSync(temporal.client, preflight.store, { ...placeOf(preflight), roster, options: OPTIONS }),
  );
  return resultOf(terminal, session, run);
}

/** Imports a file of three rows, two of which look the same; the link that they are for, undefined where it failed. */
async function importRows(
  terminal: Terminal,
  session: JobSession,
  sandbox: Sandbox,
  home: string,
): Promise<string | undefined> {
  const link = [...sandbox.world.links.values()].find(({ text }) => JSON.parse(text).state === "connected");
  const [account] = link?.accounts ?? [];
  if (link === undefined || account === undefined) return undefined;
  const path = join(home, "imports.csv");
  const rows = ["19.90,2026-01-05,coffee beans", "4.20,2026-01-06,tram", "4.20,2026-01-06,tram"];
  const lines = rows.map((row) => `${link.id},${account.id},${row}\n`);
  await writeFile(path, `link_id,account_id,amount,date,description\n${lines.join("")}`);
  const end = await runToEnd(terminal, session, importJob, path, importKind.options.parse({}));
  return end === undefined ? undefined : link.id;
}

/** Exports the CIP reports of a roster; the directory of the pack, undefined where it failed. */
async function exportReports(
  terminal: Terminal,
  session: JobSession,
  roster: string,
): Promise<string | undefined> {
  const options = cipKind.options.parse({ approver: "compliance@demo.example" });
  const end = await runToEnd(terminal, session, cipJob, roster, options);
  return end === undefined ? undefined : String(end.export);
}

async function runToEnd(
  terminal: Terminal,
  session: JobSession,
  job: AnyJob,
  path: string,
  options: Parameters<typeof newRun>[1]["options"],
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const judged = await judgeRows(job, path);
  const run = newRun(job, { judged, options });
  const result = await resultOf(terminal, session, run);
  if (result === undefined || result.status === "completed") return result;
  terminal.say(`the demo stopped: the ${job.kind} run did not complete`);
  return undefined;
}

async function resultOf<Result>(
  terminal: Terminal,
  session: JobSession,
  run: JobRun<unknown, Result>,
): Promise<Result | undefined> {
  const { end } = await followRun(terminal, session, run);
  if (end?.kind === "completed") return end.result;
  terminal.say(`the demo stopped: ${end?.kind === "failed" ? end.message : "interrupted"}`);
  return undefined;
}

async function showOutcome(
  terminal: Terminal,
  { directory, pack }: { readonly directory: string; readonly pack: string },
  nights: readonly SyncSummary[],
): Promise<void> {
  const counts = nights.map(({ links, rows, calls, duration_ms }, at) => ({
    night: at === 0 ? "first" : "second",
    "links synced": links.synced,
    created: rows.created,
    updated: rows.updated,
    removed: rows.removed,
    quarantined: rows.quarantined,
    calls,
    seconds: (duration_ms / 1000).toFixed(1),
  }));
  terminal.result("");
  showRows(terminal, counts);
  await withLakeQuery(terminal, async (lake) => {
    const show = async (title: string, sql: string) => {
      showText(terminal, `\n${title}`);
      showRows(terminal, await rowsOf(lake, sql), { decimals: new Set(["amount"]) });
    };
    await show(
      "the latest transactions (table transactions)",
      `select "date", amount, currency, "type", pending, description from transactions
          order by "date" desc, sequence desc, link_id limit 5`,
    );
    await show(
      "the imported rows, as sync brought them back (tables transaction_imports and transactions)",
      `select i.status, t."date", t.amount, t.description, left(i.transaction_id, 12) as transaction_id
          from transaction_imports i join transactions t using (link_id, transaction_id) order by i.line`,
    );
    await show(
      "one link's proof of completeness, run by run (table link_syncs)",
      `with recursive chain as (
            select *, 1 as place from link_syncs where certificate is not null and certificate_prev is null
              and link_id = (select min(link_id) from link_syncs where certificate_prev is not null)
            union all
            select s.*, place + 1 from link_syncs s join chain on s.certificate_prev = chain.certificate
              and s.link_id = chain.link_id where s.certificate is not null
          )
          select status, pages, created, updated, removed, left(certificate_prev, 12) as previous,
            left(certificate, 12) as certificate from chain order by place`,
    );
  });
  await showPosted(terminal);
  terminal.result("");
  await showReport(terminal, { days: 30, out: "report.html" });
  const lake = `NIGHTLEDGER_LAKE=${directory}/lake npx nightledger`;
  showText(terminal, [
    `files     ${directory}/lake: Delta tables of Parquet files, which DuckDB, Polars and Spark read directly`,
    `pack      ${pack}/report.html: open it and the report in a browser`,
    "\ntry next",
    `  npx nightledger verify ${pack}`,
    `  (cd ${pack} && sha256sum -c SHA256SUMS)`,
    `  ${lake} tables`,
    `  ${lake} query "select change_type, count(*) from transaction_changes group by 1"`,
    "  npx nightledger sandbox --roster-out users.csv",
  ]);
}

/** Explains one pending row that became posted. */
async function showPosted(terminal: Terminal): Promise<void> {
  const [pair] = await withLakeQuery(terminal, (lake) =>
    rowsOf<{ link_id: string; id: string }>(
      lake,
      `select link_id, pending_transaction_id as id from transaction_links where tier = 'exact'
        order by removed_run_id <> posted_run_id desc, link_id, removed_sequence limit 1`,
    ),
  );
  if (pair === undefined) return;
  terminal.result("\na pending row that became posted (nightledger explain)");
  await runExplain(terminal, pair.id, { link: pair.link_id });
}
