import { spawnSync } from "node:child_process";
import { createDuckDb } from "../../../src/lake/sql/duckdb.js";

const KEYS = 500_000;

/** What an engine found after sorting more than fits into its memory. */
interface Spilled {
  readonly seed: number;
  readonly spilled: boolean;
  /** Keys that are lost, doubled or another engine's. */
  readonly wrong: number;
}

/** Sorts keys of its own in an engine with little memory, and holds what comes out against what went in. */
export async function spill(scratchDirectory: string, seed: number): Promise<Spilled> {
  const duckdb = createDuckDb({ scratchDirectory, memoryLimitMb: 100 });
  try {
    return await duckdb.exclusive(async (sql) => {
      await sql.run(`create temp table t as
        select ${seed}::bigint * 1000000000 + range as k, hash(range, ${seed})::varchar || repeat('x', 200) as v
        from range(${KEYS}) order by v`);
      const [files] = await sql.rows("select count(*) as n from duckdb_temporary_files()");
      const [found] = await sql.rows(`select count(*) filter (
          k // 1000000000 = ${seed} and v = hash(k % 1000000000, ${seed})::varchar || repeat('x', 200)
        ) as good, count(distinct k) as keys, count(*) as rows from t`);
      const good = Math.min(Number(found?.good), Number(found?.keys));
      const wrong = KEYS - good + (Number(found?.rows) - good);
      return { seed, spilled: Number(files?.n) > 0, wrong };
    });
  } finally {
    await duckdb.close();
  }
}

/** Whether this machine lets a test run processes in process namespaces of their own. */
export function canIsolate(): boolean {
  return spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;
}
