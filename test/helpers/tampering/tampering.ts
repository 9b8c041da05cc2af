import { cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DamagedLake } from "./lake-damage.js";

const KINDS = ["byte", "row", "file", "log entry", "table of yesterday"] as const;

/** One way to tamper with a lake, which follows from its seed. */
interface Tampering {
  readonly title: string;
  /** @param yesterday an older copy of the lake */
  apply(lake: DamagedLake, yesterday: string): Promise<void>;
}

/** Values of SQL rows that are changed, taken away or doubled, with the log made to fit. */
const ROWS = [
  ["transaction_changes", "amount = amount + 1"],
  ["transaction_changes", "fp_id = 'fp_other'"],
  ["transactions", "amount = amount + 1"],
  ["transactions", "currency = 'XXX'"],
  ["bank_links", "run_id = 'another'"],
  ["bank_links_current", "run_id = 'another'"],
  ["link_syncs", "pages = pages + 1"],
  ["runs", "calls = calls + 1"],
] as const;

export function tampering(seed: number): Tampering {
  const draw = generator(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(draw() * from.length)] as T;
  const kind = KINDS[seed % KINDS.length] as (typeof KINDS)[number];
  return {
    title: `seed ${seed}: a ${kind}`,
    async apply(lake, yesterday) {
      if (kind === "row") return changeRow(lake, pick(ROWS), pick(["set", "drop", "double"]));
      const table = pick(await tablesOf(lake.directory));
      if (kind === "table of yesterday") return putBack(lake, yesterday, draw);
      if (kind === "log entry") return changeLog(lake, table, pick(["drop", "alter"]), draw);
      const files = await liveFiles(lake, table);
      if (files.length === 0) return putBack(lake, yesterday, draw);
      const path = join(lake.directory, table, pick(files));
      if (kind === "byte") return flip(path, draw);
      if (pick(["gone", "cut"]) === "gone") return rm(path);
      return writeFile(path, (await readFile(path)).subarray(0, -1 - Math.floor(draw() * 50)));
    },
  };
}

async function tablesOf(lake: string): Promise<string[]> {
  const names = (await readdir(lake)).filter((name) => !name.startsWith("_")).sort();
  const there = await Promise.all(
    names.map((name) => stat(join(lake, name, "_delta_log")).catch(() => null)),
  );
  return names.filter((_, at) => there[at] !== null);
}

async function liveFiles(lake: DamagedLake, table: string): Promise<string[]> {
  const live = new Set<string>();
  await lake.editLog(table, (action) => {
    if ("add" in action) live.add(action.add.path);
    if ("remove" in action) live.delete(action.remove.path);
    return action;
  });
  return [...live].sort();
}

async function flip(path: string, draw: () => number): Promise<void> {
  const bytes = await readFile(path);
  const at = Math.floor(draw() * bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(draw() * 8));
  await writeFile(path, bytes);
}

async function changeRow(
  lake: DamagedLake,
  [table, change]: (typeof ROWS)[number],
  how: "set" | "drop" | "double",
): Promise<void> {
  const [column = "", value = ""] = change.split(" = ");
  const one = "rowid = 0";
  const rows = {
    set: `select * replace (case when ${one} then ${value} else ${column} end as ${column}) from old`,
    drop: `from old where not (${one})`,
    double: `from old union all from old where ${one}`,
  }[how];
  const [live] = await liveFiles(lake, table);
  await lake.rewriteFile(table, live ?? "", rows);
}

/**
 * Takes an entry of the newest commit that a root names out of a log, or changes a digit in it: an entry that says what the
 * table holds. Of a table that was only created it takes the whole log.
 */
async function changeLog(
  lake: DamagedLake,
  table: string,
  how: "drop" | "alter",
  draw: () => number,
): Promise<void> {
  // The newest version of `runs` is not named by a root yet.
  const commits = (await lake.commits(table)).slice(0, table === "runs" ? -1 : undefined);
  const path = commits.at(-1) ?? "";
  const lines = (await readFile(path, "utf8")).split("\n").filter(Boolean);
  const held = lines.flatMap((line, at) => (/^{"(add|remove|domainMetadata)"/.test(line) ? [at] : []));
  const at = held[Math.floor(draw() * held.length)];
  if (at === undefined) return rm(path);
  const [line = ""] = lines.splice(at, 1);
  const altered = line.replace(/(size|numRecords|sequence)(\\?":)(\d)/, "$1$21$3");
  if (how === "alter" && altered !== line) lines.splice(at, 0, altered);
  await writeFile(path, `${lines.join("\n")}\n`);
}

/** Puts a table back as it was; one that has changed since. Of `runs`, only a root that was kept tells. */
async function putBack(lake: DamagedLake, yesterday: string, draw: () => number): Promise<void> {
  const older: string[] = [];
  for (const table of await tablesOf(yesterday)) {
    const [then, now] = [new DamagedLake(yesterday), lake].map((one) => one.commits(table));
    if (((await then) ?? []).length < ((await now) ?? []).length && table !== "runs") older.push(table);
  }
  const table = older[Math.floor(draw() * older.length)] ?? "";
  await rm(join(lake.directory, table), { recursive: true });
  await cp(join(yesterday, table), join(lake.directory, table), { recursive: true });
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function generator(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
