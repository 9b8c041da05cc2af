import { createHash, hash } from "node:crypto";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import { localFiles } from "../delta/data-files.js";
import { SHA256_TAG } from "../delta/delta-actions.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { filesOfRun } from "../history/rows-of-run.js";
import type { Lake } from "../lake.js";
import { parquetRows } from "../sql/duckdb-files.js";
import type { SqlRow } from "../sql/duckdb-session.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { appendDecided } from "../tables/append.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { writeRows } from "../tables/parquet-file.js";
import { runs } from "../tables/runs.js";

/** What a root is made of (docs/use/tables.md, "Root"). */
interface RootParts {
  /** The root before it; null for the first. */
  readonly previous: string | null;
  /** sha256 of the run's own row, without the root, and of the certificates that it wrote. */
  readonly run: string;
  /**
   * Version and {@link stateSha256} of each table, by name. One hash over all of them would prove no older root: files are
   * merged and logs cleaned up, each table's at its own time.
   */
  readonly tables: ReadonlyMap<string, string>;
}

/** Begins the name of the transaction in the log of `runs` that names the root of a commit's row. */
const ROOT = "lake_root/";
const TABLE = "table.";

/** Writes the text whose sha256 is the root: `name=value\n` for each part, tables in the order of their names. */
function rootText({ previous, run, tables }: RootParts): string {
  const states = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    ["previous", previous ?? ""],
    ["run", run],
    ...states.map(([name, state]) => [TABLE + name, state]),
  ];
  return lines.map(([name, value]) => `${name}=${value}\n`).join("");
}

/** Reads what {@link rootText} wrote. */
export function rootParts(text: string): RootParts {
  const parts = new Map(
    text.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const tables = [...parts].flatMap(([name, state]) =>
    name.startsWith(TABLE) ? [[name.slice(TABLE.length), state] as const] : [],
  );
  return { previous: parts.get("previous") || null, run: parts.get("run") ?? "", tables: new Map(tables) };
}

export function rootOf(text: string): string {
  return hash("sha256", text);
}

/** Gives the root of the row that a version of `runs` brought, or of the newest row; null where there is none. */
export function knownRoot({ txns }: Snapshot, at?: number): string | null {
  let newest: { readonly appId: string; readonly version: number } | undefined;
  for (const txn of txns.values()) {
    const isAsked = at === undefined ? txn.version > (newest?.version ?? -1) : txn.version === at;
    if (txn.appId.startsWith(ROOT) && isAsked) newest = txn;
  }
  return newest?.appId.slice(ROOT.length) ?? null;
}

/** Hashes a run's row without its root, a line for each value in the order of columns, and what is added after it. */
export class RunSha256 {
  readonly #hash = createHash("sha256");

  constructor(row: RunRow) {
    for (const { name, type } of runs.columns) {
      const value = row[name];
      if (value === null || value === undefined || name.startsWith("lake_root")) continue;
      this.#add(`${name}=${type === "TIMESTAMPTZ" ? inMicroseconds(String(value)) : value}`);
    }
  }

  /** Adds a certificate that the run wrote, in the order of links. */
  certificate({ link_id, certificate }: SqlRow): void {
    this.#add(`${link_id} ${certificate}`);
  }

  digest(): string {
    return this.#hash.digest("hex");
  }

  #add(line: string): void {
    this.#hash.update(`${line}\n`);
  }
}

function inMicroseconds(instant: string): string {
  return instant.replace(/(?:\.(\d+))?Z$/, (_, digits = "") => `.${digits.padEnd(6, "0")}Z`);
}

/**
 * Hashes what a table holds: a line for each live file, with the size, hash and statistics that its log says, and for each
 * domain, which are the heads of links in the feed. Transactions are left out: a checkpoint drops old ones.
 */
export function stateSha256({ files, domains }: Snapshot): string {
  const lines = [...domains].map(([name, configuration]) => `domain ${name} ${configuration}\n`);
  for (const { path, size, stats = "", tags } of files.values()) {
    lines.push(`file ${path} ${size} ${tags?.[SHA256_TAG] ?? ""} ${stats}\n`);
  }
  const sha256 = createHash("sha256");
  for (const line of lines.sort()) sha256.update(line);
  return sha256.digest("hex");
}

type RunRow = Readonly<Record<string, unknown>>;

/**
 * Appends a run's row with the lake's root, once, and gives the root: of the state before the row, and after the root before.
 * @param onFailed told why the root could not be computed: the row then has none
 */
export async function appendRun(
  lake: Lake,
  runId: string,
  row: RunRow,
  onFailed: (error: unknown) => void,
): Promise<string | null> {
  const appId = `${runId}/run`;
  return appendDecided(lake, runs, async (before) => {
    const own = before.txns.get(appId);
    if (own !== undefined) return { files: [], result: knownRoot(before, own.version) };
    // Again for each version: a run that ended meanwhile has a root of a later state than one that was read before it.
    const state = await lakeState(lake, runId, row).catch((error: unknown) => void onFailed(error));
    const text = state && rootText({ ...state, previous: knownRoot(before) });
    const root = text === undefined ? null : rootOf(text);
    const files = await writeRows(lake, runs, runId, [{ ...row, lake_root: root, lake_root_of: text }]);
    const set = { version: before.version + 1, lastUpdated: Date.now() };
    const names = root === null ? [appId] : [appId, ROOT + root];
    return { files, actions: names.map((name) => ({ txn: { appId: name, ...set } })), result: root };
  });
}

/** Gives the root that the newest run ended with; null where there is none. */
export async function newestRoot(lake: Pick<Lake, "table">): Promise<string | null> {
  return knownRoot(await lake.table(runs.name).snapshot());
}

const READS_AT_ONCE = 8;

/** Reads what the root is made of, except the root before. */
async function lakeState(lake: Lake, runId: string, row: RunRow): Promise<Omit<RootParts, "previous">> {
  const folders = (await lake.store.folders("")).filter((name) => /^[^._]/.test(name));
  const tables = await mapConcurrent(READS_AT_ONCE, folders, async (name) => {
    const state = await lake.table(name).snapshot();
    return state.version < 0 ? [] : [[name, `${state.version} ${stateSha256(state)}`] as const];
  });
  return { run: await runSha256(lake, runId, row), tables: new Map(tables.flat()) };
}

async function runSha256(lake: Lake, runId: string, row: RunRow): Promise<string> {
  const sha256 = new RunSha256(row);
  const files = async () => (await lake.table(linkSyncs.name).snapshot()).files;
  const adds = (await filesOfRun(lake, linkSyncs.name, runId)) ?? [...(await files()).values()];
  if (adds.length === 0) return sha256.digest();
  const paths = await localFiles({ ...lake, table: linkSyncs.name }, adds);
  return lake.duckdb.exclusive(async (sql) => {
    const certificates = sql.stream(`select link_id, certificate from ${parquetRows(paths, linkSyncs.columns)}
      where run_id = ${sqlText(runId)} and certificate is not null order by link_id, certificate`);
    for await (const some of certificates) for (const one of some) sha256.certificate(one);
    return sha256.digest();
  });
}
