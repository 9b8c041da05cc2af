import { createHash, hash } from "node:crypto";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import { localFiles } from "../delta/data-files.js";
import { newestVersions } from "../delta/delta-log.js";
import { logPrefix } from "../delta/delta-path.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { filesOfRun } from "../history/rows-of-run.js";
import type { Lake } from "../lake.js";
import { parquetRows } from "../sql/duckdb-files.js";
import { sqlText } from "../sql/duckdb-sql.js";
import type { ObjectStore } from "../store/object-store.js";
import { appendDecided } from "../tables/append.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { writeRows } from "../tables/parquet-file.js";
import { runs } from "../tables/runs.js";
import { transactionChanges } from "../tables/transactions.js";

/** What a root is made of (docs/use/tables.md, "Root"). */
interface RootParts {
  /** The root before it; null for the first. */
  readonly previous: string | null;
  /** sha256 of the run's own row, without the root. */
  readonly row: string;
  /** sha256 of the certificates that the run wrote. */
  readonly certificates: string;
  /** sha256 of every link's checkpoint. */
  readonly checkpoints: string;
  /** Version and sha256 of the newest commit of each table, by name; of one that has no file yet, its version. */
  readonly tables: ReadonlyMap<string, string>;
}

/** Begins the name of the transaction in the log of `runs` that names the root of a commit's row. */
const ROOT = "lake_root/";
const TABLE = "table.";

/** Writes the text whose sha256 is the root: `name=value\n` for each part, tables in the order of their names. */
function rootText({ previous, tables, ...hashes }: RootParts): string {
  const { row, certificates, checkpoints } = hashes;
  const lines = Object.entries({ previous: previous ?? "", row, certificates, checkpoints });
  const versions = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  const all = [...lines, ...versions.map(([name, commit]) => [TABLE + name, commit] as const)];
  return all.map(([name, value]) => `${name}=${value}\n`).join("");
}

/** Reads what {@link rootText} wrote. */
export function rootParts(text: string): RootParts {
  const lines = text
    .split("\n")
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
  const {
    previous = "",
    row = "",
    certificates = "",
    checkpoints = "",
    ...others
  } = Object.fromEntries(lines) as Record<string, string>;
  const tables = Object.entries(others).flatMap(([name, commit]) =>
    name.startsWith(TABLE) ? [[name.slice(TABLE.length), commit] as const] : [],
  );
  return { previous: previous || null, row, certificates, checkpoints, tables: new Map(tables) };
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

/** Hashes a row of `runs` without its root: a line for each value, in the order of columns. Instants have microseconds. */
export function rowSha256(row: Readonly<Record<string, unknown>>): string {
  const lines = runs.columns.flatMap(({ name, type }) => {
    const value = row[name];
    if (value === null || value === undefined || name.startsWith("lake_root")) return [];
    const text = String(value);
    return [
      `${name}=${type === "TIMESTAMPTZ" ? text.replace(/(?:\.(\d+))?Z$/, (_, digits = "") => `.${digits.padEnd(6, "0")}Z`) : text}\n`,
    ];
  });
  return hash("sha256", lines.join(""));
}

/** Hashes lines, which may be too many for one text. */
export class LinesSha256 {
  readonly #hash = createHash("sha256");

  add(line: string): void {
    this.#hash.update(`${line}\n`);
  }

  digest(): string {
    return this.#hash.digest("hex");
  }
}

/** Hashes every link's checkpoint in the feed's log, by name. */
export function checkpointsSha256({ domains }: Snapshot): string {
  const lines = new LinesSha256();
  for (const name of [...domains.keys()].sort()) lines.add(`${name} ${domains.get(name)}`);
  return lines.digest();
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
    const state = await lakeState(lake, runId).catch((error: unknown) => void onFailed(error));
    const previous = knownRoot(before);
    const text = state && rootText({ ...state, previous, row: rowSha256(row) });
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

/** Reads what the root is made of, except what the row itself says. */
async function lakeState(lake: Lake, runId: string) {
  const folders = (await lake.store.folders("")).filter((name) => /^[^._]/.test(name));
  const feed = await lake.table(transactionChanges.name).snapshot();
  const known = new Map(folders.map((name) => [name, lake.table(name).knownVersion]));
  const newest = new Map(await newestVersions(lake.store, known)).set(transactionChanges.name, feed.version);
  const created = [...newest].flatMap(([table, version]) => (version === 0 ? [table] : []));
  const empty = await withoutFiles(lake.store, created);
  const tables = await mapConcurrent(READS_AT_ONCE, [...newest], async ([table, version]) => {
    if (version < 0) return [];
    const sha256 = empty.has(table) ? undefined : await lake.table(table).commitSha256(version);
    return [[table, sha256 === undefined ? `${version}` : `${version} ${sha256}`] as const];
  });
  return {
    certificates: await certificatesSha256(lake, runId),
    checkpoints: checkpointsSha256(feed),
    tables: new Map(tables.flat()),
  };
}

/** Finds the tables that were only created, by names alone: most tables of a lake are, and no root need read them. */
async function withoutFiles(store: ObjectStore, created: readonly string[]): Promise<ReadonlySet<string>> {
  const sorted = created.toSorted((a, b) => (`${a}/` < `${b}/` ? -1 : 1));
  const listed = await store.lists(sorted.map((table) => ({ prefix: `${table}/` })));
  const isEmpty = (table: string, at: number) =>
    listed[at]?.every(({ key }) => key.startsWith(logPrefix(table))) ?? false;
  return new Set(sorted.filter(isEmpty));
}

async function certificatesSha256(lake: Lake, runId: string): Promise<string> {
  const lines = new LinesSha256();
  const location = { ...lake, table: linkSyncs.name };
  const files = async () => (await lake.table(linkSyncs.name).snapshot()).files;
  const adds = (await filesOfRun(lake, linkSyncs.name, runId)) ?? [...(await files()).values()];
  if (adds.length === 0) return lines.digest();
  const paths = await localFiles(location, adds);
  return lake.duckdb.exclusive(async (sql) => {
    const rows = sql.stream(`select link_id, certificate from ${parquetRows(paths, linkSyncs.columns)}
      where run_id = ${sqlText(runId)} and certificate is not null order by link_id, certificate`);
    for await (const some of rows)
      for (const { link_id, certificate } of some) lines.add(`${link_id} ${certificate}`);
    return lines.digest();
  });
}
