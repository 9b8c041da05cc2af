import { createHash, hash } from "node:crypto";
import type { Snapshot } from "../delta/delta-snapshot.js";
import { runs } from "../tables/runs.js";

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
  /** Version and sha256 of the newest commit of each table, by name. */
  readonly tables: ReadonlyMap<string, string>;
}

/** Begins the name of the transaction in the log of `runs` that names the root of a commit's row. */
const ROOT = "lake_root/";
const TABLE = "table.";

/** Writes the text whose sha256 is the root: `name=value\n` for each part, tables in the order of their names. */
export function rootText({ previous, tables, ...hashes }: RootParts): string {
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

/** Gives the transaction that names a root in the log of `runs`. */
export function rootTxn(root: string, version: number, lastUpdated: number) {
  return { txn: { appId: ROOT + root, version, lastUpdated } };
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
