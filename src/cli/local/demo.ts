import { access, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { startSandbox } from "../../../sandbox/index.js";
import { InputError } from "../../domain/failures.js";
import type { SyncSummary } from "../../domain/sync/sync-summary.js";
import { type Roster, readRoster } from "../../intake/sync/roster-file.js";
import { startSync } from "../../intake/sync/start.js";
import { defaultStreams, STREAMS } from "../../streams/index.js";
import { rowsOf, withLakeQuery } from "../lake/query.js";
import { tableOf } from "../lake/row-table.js";
import { followRun } from "../session/job-run.js";
import { type JobSession, openJobSession } from "../session/job-session.js";
import { runPreflight } from "../session/preflight.js";
import { runExplain } from "../sync/explain.js";
import { summaryOf, syncRun } from "../sync/sync-run.js";
import { EXIT } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";
import { exportReports, importRows } from "./demo-jobs.js";

const MARKER = ".made-by-nightledger-demo";
const POPULATION = { kind: "synthetic", users: 25, linksPerUser: 2, rows: 400, seed: 7 } as const;
const OPTIONS = { streams: defaultStreams(STREAMS), links: null, full: false, pageSize: 500 } as const;

/** Two nights, an import and an export against a stand-in, and what they left: the exit code. */
export async function runDemo(outer: Terminal, directory: string): Promise<number> {
  const home = resolve(outer.cwd, directory);
  await makeAnew(home);
  return withInterruption(async (held) => {
    const sandbox = await startSandbox({ population: POPULATION, latencyMs: 5 });
    held.releases.add(() => sandbox.close());
    const terminal = inside(outer, home, sandbox.url, sandbox.apiKey);
    const rosterPath = join(home, "users.csv");
    await sandbox.writeRoster(rosterPath);
    const preflight = await runPreflight(terminal);
    const roster = await readRoster(rosterPath);
    terminal.say(`stand-in service at ${sandbox.url}: ${roster.rows.length} users`);
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
    await showResult(terminal, shown, [first, second]);
    return EXIT.completed;
  });
}

async function makeAnew(home: string): Promise<void> {
  const entries = await readdir(home).catch(() => []);
  const ours = await access(join(home, MARKER)).then(
    () => true,
    () => false,
  );
  if (entries.length > 0 && !ours) {
    throw new InputError(
      `--directory: ${home} contains files that no demo created. Choose a new or empty directory.`,
    );
  }
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  await writeFile(join(home, MARKER), "");
}

/** The demo's own environment: nothing of the user's configuration is touched. */
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
  const { scope, taskQueue, store } = session.preflight;
  const run = syncRun(terminal, ({ temporal }) =>
    startSync(temporal.client, store, { scope, taskQueue, roster, options: OPTIONS }),
  );
  const left = await followRun(terminal, session, run);
  const { end } = left;
  if (end?.kind === "completed") return summaryOf(left).summary;
  terminal.say(`the demo stopped: ${end?.kind === "failed" ? end.message : "interrupted"}`);
  return undefined;
}

async function showResult(
  terminal: Terminal,
  { directory, pack }: { readonly directory: string; readonly pack: string },
  nights: readonly SyncSummary[],
): Promise<void> {
  const counts = nights.map(({ links, rows, calls, duration_ms }, at) => ({
    night: at === 0 ? "first" : "second",
    "links synced": links.synced,
    unchanged: links.unchanged,
    skipped: links.skipped,
    created: rows.created,
    updated: rows.updated,
    removed: rows.removed,
    quarantined: rows.quarantined,
    calls,
    seconds: (duration_ms / 1000).toFixed(1),
  }));
  terminal.result(`\n${tableOf(counts)}`);
  await withLakeQuery(terminal, async (lake) => {
    const ask = async (sql: string) => {
      for await (const batch of lake.query(sql)) return batch;
      return [];
    };
    terminal.result("\nthe latest transactions (table transactions)");
    terminal.result(
      tableOf(
        await ask(`select "date", amount, currency, "type", pending, description from transactions
          order by "date" desc, sequence desc, link_id limit 5`),
      ),
    );
    terminal.result(
      "\nthe imported rows, as sync brought them back (tables transaction_imports and transactions)",
    );
    terminal.result(
      tableOf(
        await ask(`select i.status, t."date", t.amount, t.description, left(i.transaction_id, 12) as transaction_id
          from transaction_imports i join transactions t using (link_id, transaction_id) order by i.line`),
      ),
    );
    terminal.result("\none link's proof of completeness, run by run (table link_syncs)");
    terminal.result(
      tableOf(
        await ask(`with recursive chain as (
            select *, 1 as place from link_syncs where certificate is not null and certificate_prev is null
              and link_id = (select min(link_id) from link_syncs where certificate_prev is not null)
            union all
            select s.*, place + 1 from link_syncs s join chain on s.certificate_prev = chain.certificate
              and s.link_id = chain.link_id where s.certificate is not null
          )
          select status, pages, created, updated, removed, left(certificate_prev, 12) as previous,
            left(certificate, 12) as certificate from chain order by place`),
      ),
    );
  });
  await showPosted(terminal);
  const lake = `NIGHTLEDGER_LAKE=${directory}/lake npx nightledger`;
  terminal.result(
    [
      `\nfiles     ${directory}/lake: Delta tables of Parquet files, which DuckDB, Polars and Spark read directly`,
      `pack      ${pack}/report.html: open it in a browser; to verify its files: sha256sum -c SHA256SUMS`,
      "\ntry next",
      `  npx nightledger verify ${pack}`,
      `  ${lake} tables`,
      `  ${lake} query "select change_type, count(*) from transaction_changes group by 1"`,
      "  npx nightledger sandbox --roster-out users.csv",
    ].join("\n"),
  );
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
