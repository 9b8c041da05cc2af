import type { KeyObject } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { InputError } from "../../../domain/failures.js";
import { isRunId } from "../../../domain/run.js";
import type { DuckDb } from "../../sql/duckdb.js";
import { csvFile, parquetFiles } from "../../sql/duckdb-files.js";
import { fileSha256 } from "../../store/local/local-store-files.js";
import { type PackChain, verifyChain, verifyLater } from "./chain.js";
import {
  contentSha256,
  EQUATION,
  OUTCOMES_FILE,
  PackError,
  type PackManifest,
  POPULATION_FILE,
  PROOF,
  type ReadManifest,
  readManifest,
  sumLines,
} from "./manifest.js";
import { isSignedBy, keyFingerprint, publicKey } from "./signature.js";

export interface VerifiedPack
  extends Pick<PackManifest, "kind" | "export_id" | "content_sha256" | "counts">,
    PackChain {
  readonly manifest_sha256: string;
  readonly files: number;
  /** By the user's key, or by the one in the pack, whose fingerprint the user compares. */
  readonly signature: "none" | "own" | "given";
  readonly public_key_sha256: string | null;
}

/**
 * Proves a pack offline: files, counts, equation, signature, and the chain in its directory.
 * @param bring brings an earlier pack's manifest into the directory
 * @throws PackError for the first thing that is wrong; InputError where there is no pack
 */
export async function verifyPack(
  given: string,
  {
    duckdb,
    key,
    bring,
  }: {
    readonly duckdb: DuckDb;
    readonly key?: KeyObject | undefined;
    readonly bring?: ((id: string) => Promise<unknown>) | undefined;
  },
): Promise<VerifiedPack> {
  const directory = resolve(given);
  const read = await readProvenManifest(directory);
  const { manifest, sha256: manifest_sha256 } = read;
  const { kind, export_id, content_sha256, counts, files } = manifest;
  await verifyFiles(directory, manifest, manifest_sha256);
  await verifyRows(directory, manifest, duckdb);
  const signature = await verifySignature(directory, read, key);
  const chain = await verifyChain(directory, manifest, bring);
  await verifyLater(directory, read);
  const public_key_sha256 = manifest.signature?.public_key_sha256 ?? null;
  const proved = { kind, export_id, manifest_sha256, content_sha256, files: files.length, counts };
  return { ...proved, ...chain, signature, public_key_sha256 };
}

/** The manifest that `SHA256SUMS` names. @throws PackError also in another export's directory */
export async function readProvenManifest(directory: string): Promise<ReadManifest> {
  const read = await readSummedManifest(directory);
  const { kind, export_id } = read.manifest;
  const name = basename(directory);
  if (isRunId(kind, name) && name !== export_id)
    throw new PackError(
      `the directory is named ${name}, and the pack in it is ${export_id}: it was put there later`,
    );
  return read;
}

async function readSummedManifest(directory: string): Promise<ReadManifest> {
  const sums = await readSums(directory).catch(async (error) => {
    // Without a manifest it is no pack.
    await readManifest(directory);
    throw error;
  });
  try {
    return await readManifest(directory, (sha256) => agreesWithSums(sums.byPath, PROOF.manifest, sha256));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new PackError(`${PROOF.manifest} is missing, though ${PROOF.sums} names it`);
  }
}

async function verifySignature(
  directory: string,
  { manifest, bytes }: ReadManifest,
  given: KeyObject | undefined,
): Promise<VerifiedPack["signature"]> {
  const signature = await readFile(join(directory, PROOF.signature)).catch(() => undefined);
  const said = manifest.signature;
  if (said === null) {
    if (signature !== undefined)
      throw new PackError(`${PROOF.signature} is there, and ${PROOF.manifest} says that it was not signed`);
    if (given !== undefined) throw new PackError("the pack is not signed, and a public key was given");
    return "none";
  }
  if (signature === undefined) throw new PackError(`${PROOF.signature} is missing`);
  const pem = await readFile(join(directory, PROOF.publicKey), "utf8").catch(() => "");
  const keys: [string, KeyObject][] = [[PROOF.publicKey, publicKey(pem, PROOF.publicKey)]];
  if (given !== undefined) keys.push(["the public key that was given", given]);
  for (const [whose, key] of keys) {
    if (keyFingerprint(key) !== said.public_key_sha256) {
      throw new PackError(
        `${whose} is not the key that ${PROOF.manifest} names: signature.public_key_sha256`,
      );
    }
    if (!isSignedBy(bytes, signature, key)) {
      throw new PackError(
        `${PROOF.manifest} is not what ${whose} signed: ${PROOF.signature} does not match it`,
      );
    }
  }
  return given === undefined ? "own" : "given";
}

/** @throws PackError where it is missing or of another form */
export async function readSums(directory: string): Promise<{ text: string; byPath: Map<string, string> }> {
  const text = await readFile(join(directory, PROOF.sums), "utf8").catch((error) => {
    throw new PackError(`${PROOF.sums} is missing or can't be read`, { cause: error });
  });
  return { text, byPath: sumsOf(text) };
}

/** sha256 by path. @throws PackError for a line of another form */
export function sumsOf(text: string): Map<string, string> {
  const byPath = new Map<string, string>();
  for (const [index, line] of text.split("\n").slice(0, -1).entries()) {
    const [, sha256, path] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
    if (sha256 === undefined || path === undefined) {
      throw new PackError(`${PROOF.sums}: line ${index + 1} is not a sha256, two spaces and a path`);
    }
    byPath.set(path, sha256);
  }
  return byPath;
}

/** @throws PackError where a file is not the one in `SHA256SUMS` */
function agreesWithSums(byPath: ReadonlyMap<string, string>, path: string, sha256: string): void {
  const said = byPath.get(path);
  if (said === undefined) throw new PackError(`${PROOF.sums} has no line for ${path}`);
  if (said !== sha256)
    throw new PackError(`${path} is not the file that ${PROOF.sums} names: it was changed`);
}

/** No file changed, missing or added. */
async function verifyFiles(directory: string, manifest: PackManifest, manifestSha256: string): Promise<void> {
  const there = new Set(await listed(directory));
  for (const { path, sha256, bytes } of manifest.files) {
    if (!there.has(path)) throw new PackError(`${path} is missing`);
    const { size } = await stat(join(directory, path));
    if (size !== bytes) throw new PackError(`${path} has ${size} bytes, and ${PROOF.manifest} says ${bytes}`);
    if ((await fileSha256(join(directory, path))) !== sha256) {
      throw new PackError(`${path} was changed: its sha256 is not the one in ${PROOF.manifest}`);
    }
  }
  const { text, byPath } = await readSums(directory);
  for (const path of byPath.keys()) {
    if (!there.has(path)) throw new PackError(`${path} is missing: ${PROOF.sums} has a line for it`);
  }
  const proofs = [{ path: PROOF.manifest as string, sha256: manifestSha256 }];
  if (there.has(PROOF.signature)) {
    const sha256 = await fileSha256(join(directory, PROOF.signature));
    agreesWithSums(byPath, PROOF.signature, sha256);
    proofs.push({ path: PROOF.signature, sha256 });
  }
  const known = new Set<string>([...[...manifest.files, ...proofs].map(({ path }) => path), PROOF.sums]);
  for (const path of there) {
    if (!known.has(path))
      throw new PackError(`${path} does not belong to the pack: no file of that name was written`);
  }
  if (text !== sumLines([...manifest.files, ...proofs])) {
    throw new PackError(`${PROOF.sums} was changed: it does not name exactly the files of ${PROOF.manifest}`);
  }
  if (contentSha256(manifest.files) !== manifest.content_sha256) {
    throw new PackError(`${PROOF.manifest}: content_sha256 is not that of its files of rows`);
  }
}

async function listed(directory: string, prefix = ""): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(directory, prefix), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) found.push(...(await listed(directory, `${path}/`)));
    else if (entry.isFile()) found.push(path);
    else throw new PackError(`${path} is neither a file nor a directory`);
  }
  return found.sort();
}

/** Row counts, and each member of the population exactly once among the outcomes. */
async function verifyRows(directory: string, manifest: PackManifest, duckdb: DuckDb): Promise<void> {
  verifyEquation(manifest);
  const rowsOf = (path: string) => {
    const local = join(directory, path);
    return path.endsWith(".parquet") ? parquetFiles([local]) : csvFile(local);
  };
  await duckdb.exclusive(async (sql) => {
    const number = async (path: string, from: string) => {
      const rows = await sql.rowsAtOnce(`select count(*) as n from ${from}`).catch((error: unknown) => {
        throw new PackError(`${path} can't be read as a table`, { cause: error });
      });
      return Number(rows[0]?.n);
    };
    for (const { path, rows } of manifest.files) {
      const found = rows === null ? null : await number(path, rowsOf(path));
      if (found !== rows)
        throw new PackError(`${path} has ${found} rows, and ${PROOF.manifest} says ${rows}`);
    }
    const outcomes = rowsOf(OUTCOMES_FILE);
    for (const status of ["exported", "failed", "excluded"] as const) {
      const found = await number(OUTCOMES_FILE, `${outcomes} where status = '${status}'`);
      const said = manifest.counts[status];
      if (found !== said)
        throw new PackError(
          `${PROOF.manifest}: counts.${status} is ${said}, and ${OUTCOMES_FILE} has ${found}`,
        );
    }
    // With equal counts, a member twice leaves another one out.
    const apart = await number(
      OUTCOMES_FILE,
      `(select fp_id, count(*) as c from ${rowsOf(POPULATION_FILE)} group by all) p
        full join (select fp_id, count(*) as c from ${outcomes} group by all) o using (fp_id)
        where p.c is distinct from 1 or o.c is distinct from 1`,
    );
    if (apart > 0) {
      throw new PackError(
        `${OUTCOMES_FILE}: ${apart} members are not there exactly once as in ${POPULATION_FILE}`,
      );
    }
  });
}

/** Population and counts agree. */
function verifyEquation({ counts, population, files }: PackManifest): void {
  const { exported, failed, excluded } = counts;
  if (counts.population !== exported + failed + excluded) {
    throw new PackError(
      `${PROOF.manifest}: ${EQUATION} does not hold: ${counts.population} ≠ ${exported} + ${failed} + ${excluded}`,
    );
  }
  const frozen = files.find(({ path }) => path === POPULATION_FILE);
  if (frozen?.sha256 !== population.sha256) {
    throw new PackError(`${PROOF.manifest}: population.sha256 is not that of ${POPULATION_FILE}`);
  }
  if (frozen.rows !== population.rows || population.rows !== counts.population) {
    throw new PackError(
      `${PROOF.manifest}: population.rows is ${population.rows}, counts.population ${counts.population}, ` +
        `and ${POPULATION_FILE} has ${frozen.rows} rows`,
    );
  }
}
