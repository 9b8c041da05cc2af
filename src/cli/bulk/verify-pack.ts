import type { KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { isS3Address, s3Address, s3Place } from "../../domain/lake-address.js";
import { counted } from "../../domain/words/counted.js";
import { type Labelled, labelledLines, shellWord } from "../../domain/words/texts.js";
import { bucketPacks } from "../../lake/bulk/pack/bucket-packs.js";
import { PROOF } from "../../lake/bulk/pack/manifest.js";
import type { PackPlace } from "../../lake/bulk/pack/pack-place.js";
import { publicKey } from "../../lake/bulk/pack/signature.js";
import { type VerifiedPack, verifyPack } from "../../lake/bulk/pack/verify-pack.js";
import type { DuckDb } from "../../lake/sql/duckdb.js";
import { createLocalStore } from "../../lake/store/local/local-store.js";
import { openStore } from "../../lake/store/open-store.js";
import { whyNoLake } from "../lake/query.js";
import { withDuckDb } from "../lake/reader.js";
import { showResult } from "../terminal/colours.js";
import type { Terminal } from "../terminal/terminal.js";

export interface PackFlags {
  readonly publicKey?: string;
  readonly json?: boolean;
}

/** Reads only the pack and the packs beside it, and of the settings those of a bucket. @throws PackError */
export async function runVerifyPack(terminal: Terminal, directory: string, flags: PackFlags): Promise<void> {
  const { publicKey: path } = flags;
  const key = path === undefined ? undefined : await readKey(resolve(terminal.cwd, path));
  if (!isS3Address(directory)) await assertNoLake(resolve(terminal.cwd, directory));
  const proved = await withDuckDb((duckdb) =>
    isS3Address(directory)
      ? verifyInBucket(terminal, directory, { duckdb, key })
      : verifyPack(resolve(terminal.cwd, directory), { duckdb, key }),
  );
  showResult(terminal, flags.json, { ok: true, ...proved }, provedWords);
}

/** @throws InputError for a lake, which is proved without an argument */
async function assertNoLake(address: string): Promise<void> {
  if ((await whyNoLake(createLocalStore(address))) !== undefined) return;
  throw new InputError(
    `${address} is a lake, not a pack. To prove it: NIGHTLEDGER_LAKE=${shellWord(address)} nightledger verify`,
  );
}

async function verifyInBucket(
  terminal: Terminal,
  given: string,
  { duckdb, key }: { readonly duckdb: DuckDb; readonly key: KeyObject | undefined },
): Promise<VerifiedPack> {
  // For the AWS_… variables of `.env`.
  readConfig(terminal, ["lake"]);
  await duckdb.makeScratch();
  const scratch = duckdb.scratchDirectory;
  const { bucket = "", prefix = "" } = s3Place(given) ?? {};
  const [, above = "", id] = /^(.*\/)?(.+)\/$/.exec(prefix) ?? [];
  if (id === undefined) throw new InputError(`${given} is not of the form s3://bucket/…/<export>.`);
  const address = s3Address({ bucket, prefix: above });
  const store = openStore({ address, scratch: { directory: scratch, mostBytes: 0 } });
  return provePack(bucketPacks(store, ""), id, { duckdb, key });
}

/** Of a bucket, proves copies of the files. @throws PackError */
export async function provePack(
  packs: PackPlace,
  id: string,
  { duckdb, key }: { readonly duckdb: DuckDb; readonly key?: KeyObject | undefined },
): Promise<VerifiedPack> {
  await duckdb.makeScratch();
  const scratch = duckdb.scratchDirectory;
  const bring = (earlier: string) => packs.read(earlier, scratch, [PROOF.manifest]);
  return verifyPack(await packs.read(id, scratch), { duckdb, key, bring });
}

async function readKey(path: string) {
  const pem = await readFile(path, "utf8").catch((error) => {
    throw new InputError(`--public-key: ${path} can't be read`, { cause: error });
  });
  return publicKey(pem, path);
}

export function provedWords(pack: VerifiedPack): string[] {
  const { population, exported, failed, excluded } = pack.counts;
  const signatures = {
    none: "not signed: whoever could write here could have changed the pack and sealed it again",
    own: `signed by the key in the pack, sha256 ${pack.public_key_sha256}: compare it with the signer's`,
    given: `signed by the key that was given, sha256 ${pack.public_key_sha256}`,
  };
  const said: readonly Labelled[] = [
    ["files", `${pack.files}, each as in manifest.json and SHA256SUMS; nothing missing, nothing added`],
    ["counts", `population ${population} = exported ${exported} + failed ${failed} + excluded ${excluded}`],
    ["chain", chainWords(pack)],
    ["signature", signatures[pack.signature]],
    ["manifest", `sha256 ${pack.manifest_sha256}`],
    ["content", `sha256 ${pack.content_sha256}, printed on each page`],
  ];
  return [`${pack.export_id} is what its manifest says`, ...labelledLines(said, 10)];
}

function chainWords({ chain, chain_ends_before }: VerifiedPack): string {
  const followed =
    chain.length === 0
      ? ""
      : `the manifests of ${counted(chain.length, "earlier pack")} match: ${chain.join(", ")}`;
  if (chain_ends_before === null) return followed || "the first pack of its chain";
  const missing = `${chain_ends_before}, or its manifest, is not beside it, so the chain could not be followed further`;
  return followed === "" ? missing : `${followed}; ${missing}`;
}
