import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { InputError } from "../../../domain/failures.js";
import { isAbsent, unreadable } from "../../store/local/local-store-errors.js";
import { isPackPath, type PackFile } from "./pack-files.js";

/** A pack was changed; the message names the first thing that is wrong. */
export class PackError extends Error {
  override readonly name = "PackError";
}

export const PROOF = {
  manifest: "manifest.json",
  sums: "SHA256SUMS",
  signature: "manifest.sig",
  publicKey: "signing-key.pem",
} as const;

/** In every pack. Both have `fp_id`, the second one `status`. */
export const POPULATION_FILE = "population.csv";
export const OUTCOMES_FILE = "outcomes.csv";

export const EQUATION = "population = exported + failed + excluded";

const count = z.int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/, "not a sha256 in hex");
const id = z.string().regex(/^[\w.-]{1,128}$/, "not an id");

/** docs/use/exports.md, "manifest.json". */
export const manifestSchema = z.strictObject({
  format: z.literal("nightledger-pack/1"),
  kind: id,
  export_id: id,
  /** The kind's own: who, when, from where. */
  facts: z.record(z.string(), z.unknown()),
  counts: z.strictObject({ population: count, exported: count, failed: count, excluded: count }),
  equation: z.literal(EQUATION),
  population: z.strictObject({ rows: count, sha256: hash }),
  /** The earlier pack's manifest: packs form a chain. */
  previous: z.strictObject({ export_id: id, manifest_sha256: hash }).nullable(),
  amends: id.nullable(),
  /** {@link contentSha256}, which the report prints. */
  content_sha256: hash,
  /** sha256 of the public key's DER form (SubjectPublicKeyInfo). */
  signature: z.strictObject({ algorithm: z.literal("Ed25519"), public_key_sha256: hash }).nullable(),
  files: z.array(
    z.strictObject({
      path: z.string().refine(isPackPath, "not a path within the pack"),
      sha256: hash,
      bytes: count,
      rows: count.nullable(),
    }),
  ),
});

export type PackManifest = z.output<typeof manifestSchema>;
export type PackCounts = Readonly<PackManifest["counts"]>;

/**
 * sha256 of the row files' lines in `SHA256SUMS`, for the report, which can't print the hash of a manifest that holds
 * its own.
 */
export function contentSha256(files: readonly PackFile[]): string {
  return textSha256(sumLines(files.filter(({ path }) => /\.(parquet|csv)$/.test(path))));
}

/** As `sha256sum` writes them, by path. */
export function sumLines(files: readonly Pick<PackFile, "path" | "sha256">[]): string {
  return [...files]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, sha256 }) => `${sha256}  ${path}\n`)
    .join("");
}

export function manifestText(manifest: PackManifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export function textSha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

export interface ReadManifest {
  readonly manifest: PackManifest;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/**
 * Reads a pack's manifest; `expect` sees its hash first.
 * @throws InputError where there is none; PackError for another form
 */
export async function readManifest(
  directory: string,
  expect: (sha256: string) => void = () => undefined,
): Promise<ReadManifest> {
  const path = join(directory, PROOF.manifest);
  const bytes = await readFile(path).catch((error) => {
    if (isAbsent(error))
      throw new InputError(
        `${directory} has no ${PROOF.manifest}: it is not a pack. Name the directory of an export`,
      );
    throw unreadable(error, path);
  });
  const sha256 = textSha256(bytes);
  expect(sha256);
  return { manifest: parsed(bytes.toString("utf8")), bytes, sha256 };
}

function parsed(text: string): PackManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new PackError(`${PROOF.manifest} is not JSON: it was changed or cut off`);
  }
  const { success, data, error } = manifestSchema.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    const where = issue?.path.join(".") || "the whole";
    throw new PackError(`${PROOF.manifest}: ${where}: ${issue?.message}`);
  }
  if (manifestText(data) !== text) {
    throw new PackError(`${PROOF.manifest} is not as it was written: spaces, order or spelling were changed`);
  }
  return data;
}
