import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import { counted } from "../../domain/words/counted.js";
import { endedRuns } from "../../intake/runs/ended-runs.js";
import { cipKind } from "../../jobs/kinds/cip.js";
import { importKind } from "../../jobs/kinds/import.js";
import { rowsOf } from "../../lake/query/store-query.js";
import { defaultStreams, STREAMS } from "../../streams/index.js";
import { showReport } from "../board/report.js";
import { runBulk } from "../bulk/command.js";
import { withLakeQuery } from "../lake/query.js";
import { showRows } from "../lake/row-table.js";
import { openJobSession } from "../session/job-session.js";
import { runPreflight } from "../session/preflight.js";
import { runSync } from "../sync/command.js";
import { runExplain } from "../sync/explain.js";
import { showText } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

const MARKER = ".made-by-nightledger-demo";
const POPULATION = { kind: "synthetic", users: 25, linksPerUser: 2, rows: 400, seed: 7 } as const;
const OPTIONS = { streams: defaultStreams(STREAMS), links: null, full: false, pageSize: 500 } as const;

/** Returns the exit code. */
type Step = readonly [title: string, command: (terminal: Terminal) => Promise<number>];

/** Runs two nights, an import and an export against a sandbox; returns the exit code. */
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
    const roster = join(home, "users.csv");
    await sandbox.writeRoster(roster);
    terminal.say(`stand-in service at ${sandbox.url}: ${counted(POPULATION.users, "user")}`);
    await openJobSession(terminal, await runPreflight(terminal), held);
    const night = (quiet: Terminal) => runSync(quiet, roster, OPTIONS, {});
    const bulk = (kind: string, file: string, options: BulkOptions) => (quiet: Terminal) =>
      runBulk(quiet, { kind, file, continueInvalid: false, options, inputs: {} }, {});
    const imports = await writeImports(sandbox, home);
    const approver = "compliance@demo.example";
    const steps: readonly Step[] = [
      ["first night: the full history from the banks", night],
      [
        "an import: three rows from a file, each exactly once",
        bulk("import", imports, importKind.options.parse({})),
      ],
      [
        "three days later: new, changed, posted and removed rows, and the imported rows come back",
        (quiet) => {
          sandbox.advance({ days: 3, seed: 7 });
          return night(quiet);
        },
      ],
      [
        "a CIP export: every user's report in one self-verifying pack",
        bulk("cip", roster, cipKind.options.parse({ approver })),
      ],
    ];
    for (const [title, command] of steps) {
      terminal.say(`\n${title}`);
      const said: string[] = [];
      const code = await command({ ...terminal, result: (text) => void said.push(text) });
      if (code !== EXIT.completed) {
        terminal.say(["the demo stopped:", ...said].join("\n"));
        return EXIT.failures;
      }
    }
    terminal.say(
      "\nthe stand-in follows the contract; `nightledger sandbox --behaves real` is one that differs as services do (docs/use/sandbox.md)",
    );
    await showOutcome(terminal, relative(outer.cwd, home) || ".");
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

/** The demo's own environment, instead of the user's settings. */
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

/** Three rows for one account, two of them alike. */
async function writeImports(sandbox: Sandbox, home: string): Promise<string> {
  const link = [...sandbox.world.links.values()].find(({ text }) => JSON.parse(text).state === "connected");
  const path = join(home, "imports.csv");
  const rows = ["19.90,2026-01-05,coffee beans", "4.20,2026-01-06,tram", "4.20,2026-01-06,tram"];
  const lines = rows.map((row) => `${link?.id},${link?.accounts[0]?.id},${row}\n`);
  await writeFile(path, `link_id,account_id,amount,date,description\n${lines.join("")}`);
  return path;
}

async function showOutcome(terminal: Terminal, directory: string): Promise<void> {
  await withLakeQuery(terminal, async (lake) => {
    const show = async (title: string, sql: string) => {
      showText(terminal, `\n${title}`);
      showRows(terminal, await rowsOf(lake, sql), { decimals: new Set(["amount"]) });
    };
    await show(
      "the two nights (table runs)",
      `select if(row_number() over (order by started_at) = 1, 'first', 'second') as night, synced as "links synced",
          created, updated, removed, quarantined, calls,
          (epoch_ms(finished_at) - epoch_ms(started_at)) / 1000 as seconds from runs where kind = 'sync' order by started_at`,
    );
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
  const [exported] = await withLakeQuery(terminal, (lake) => endedRuns(lake, { kind: "cip" }, 1));
  const pack = `${directory}/lake/_exports/cip/${exported?.run_id}`;
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
