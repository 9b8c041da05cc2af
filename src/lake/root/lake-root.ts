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

/** docs/use/tables.md, "Root". */
interface RootParts {
  /** Null for the first. */
  readonly previous: string | null;
  /** sha256 of the run's row without the root, and of its certificates. */
  readonly run: string;
  /**
   * Version and {@link stateSha256} by table: files are merged and logs cleaned up at each table's own time, so one hash
   * over all would prove no older root.
   */
  readonly tables: ReadonlyMap<string, string>;
}

/** A transaction in the log of `runs` names the root. */
const ROOT = "lake_root/";
const TABLE = "table.";

/** The sha256 of this text is the root. */
function rootText({ previous, run, tables }: RootParts): string {
  const states = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    ["previous", previous ?? ""],
    ["run", run],
    ...states.map(([name, state]) => [TABLE + name, state]),
  ];
  return lines.map(([name, value]) => `${name}=${value}\n`).join("");
}

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

/** The root of a version's row, or of the newest one; null for none. */
export function knownRoot({ txns }: Snapshot, at?: number): string | null {
  let newest: { readonly appId: string; readonly version: number } | undefined;
  for (const txn of txns.values()) {
    const isAsked = at === undefined ? txn.version > (newest?.version ?? -1) : txn.version === at;
    if (txn.appId.startsWith(ROOT) && isAsked) newest = txn;
  }
  return newest?.appId.slice(ROOT.length) ?? null;
}

/** A run's row without its root, a line for each value. */
export class RunSha256 {
  readonly #hash = createHash("sha256");

  constructor(row: RunRow) {
    for (const { name, type } of runs.columns) {
      const value = row[name];
      if (value === null || value === undefined || name.startsWith("lake_root")) continue;
      this.#add(`${name}=${type === "TIMESTAMPTZ" ? inMicroseconds(String(value)) : value}`);
    }
  }

  /** In the order of links. */
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
 * A line for each live file (size, hash, statistics) and each domain, which in the feed is a link's head; no
 * transactions, which checkpoints drop.
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
 * Appends a run's row with the lake's root, once: of the state before the row, and after the root before.
 * @param onFailed the root could not be computed: the row has none
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
    // Again for each version, whose root must be of a later state.
    const state = await lakeState(lake, runId, row).catch((error: unknown) => void onFailed(error));
    const text = state && rootText({ ...state, previous: knownRoot(before) });
    const root = text === undefined ? null : rootOf(text);
    const files = await writeRows(lake, runs, runId, [{ ...row, lake_root: root, lake_root_of: text }]);
    const set = { version: before.version + 1, lastUpdated: Date.now() };
    const names = root === null ? [appId] : [appId, ROOT + root];
    return { files, actions: names.map((name) => ({ txn: { appId: name, ...set } })), result: root };
  });
}

/** Null for none. */
export async function newestRoot(lake: Pick<Lake, "table">): Promise<string | null> {
  return knownRoot(await lake.table(runs.name).snapshot());
}

const READS_AT_ONCE = 8;

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
