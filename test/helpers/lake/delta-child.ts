import { readdir, writeFile } from "node:fs/promises";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { type StoreFault, withFaults } from "../kill/fault-store.js";
import { counting, EAGER } from "./log/counted-actions.js";
import { spill } from "./spill.js";

// A process of its own for what one process can't prove. Commands:
//   race <lake> <scratch> <writer> <commits>   adds 1 to the domain "count" so many times
//   spill <lake> <scratch> <seed>              sorts more than fits into memory
//   clean <lake> <scratch> <table> <fault>     makes a commit, checkpoints and cleans up, and meets a fault of its store
//   fill <lake> <scratch>                      tries each write with more bytes than the process may write
const [command, lake = "", scratch = "", writer = "", commits = "0"] = process.argv.slice(2);
const store = createLocalStore(lake);

async function race(): Promise<object> {
  const duckdb = createDuckDb({ scratchDirectory: scratch });
  const table = openTable(store, "feed", duckdb);
  const versions: number[] = [];
  for (let done = 0; done < Number(commits); done += 1) {
    const committed = await table.commit(
      ({ domains }) => {
        const domain = (name: string, count: number) => ({
          domainMetadata: { domain: name, configuration: String(count), removed: false },
        });
        return [domain("count", Number(domains.get("count") ?? 0) + 1), domain(writer, done + 1)];
      },
      { maxAttempts: 500 },
    );
    if (committed !== null) versions.push(committed.version);
  }
  await duckdb.close();
  return { versions };
}

async function fill(): Promise<object> {
  const big = Buffer.alloc(4_000_000, 1);
  const outcomes: object[] = [];
  const duckdb = createDuckDb({ scratchDirectory: scratch });
  const rows = "from range(1000000) as r(n) order by hash(n)";
  const writes = {
    put: () => store.put("t/put", big),
    putIfAbsent: () => store.putIfAbsent("t/putIfAbsent", big),
    sql: () =>
      duckdb.exclusive((sql) => sql.run(`copy (${rows}) to '${scratch}/big.parquet' (format parquet)`)),
    small: () => store.putIfAbsent("t/small", "fits").then(() => writeFile(`${lake}/done`, "")),
  };
  for (const [name, write] of Object.entries(writes)) {
    const failure = await write().then(
      () => undefined,
      (error: Error & { code?: string }) => ({ name: error.name, code: error.code, message: error.message }),
    );
    outcomes.push({ write: name, failure });
  }
  await duckdb.close();
  return { outcomes, names: (await readdir(lake, { recursive: true })).sort() };
}

async function clean(): Promise<object> {
  const duckdb = createDuckDb({ scratchDirectory: scratch });
  const faulty = withFaults(store, [JSON.parse(commits) as StoreFault]);
  await openTable(faulty, writer, duckdb, EAGER).commit(counting);
  await duckdb.close();
  return {};
}

const commands: Readonly<Record<string, () => Promise<object>>> = {
  race,
  clean,
  fill,
  spill: async () => ({ pid: process.pid, ...(await spill(scratch, Number(writer))) }),
};
process.stdout.write(JSON.stringify(await commands[command ?? ""]?.()));
