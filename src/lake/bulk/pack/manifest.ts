import { createHash } from "node:crypto";
import type { PackFile } from "./pack-files.js";

/** The names of what describes and proves the other files of a pack. */
export const PROOF = {
  manifest: "manifest.json",
  sums: "SHA256SUMS",
  signature: "manifest.sig",
  publicKey: "signing-key.pem",
} as const;

/** The files with a pack's rows that every kind of pack has; both have a column `fp_id`, the second `status`. */
export const POPULATION_FILE = "population.csv";
export const OUTCOMES_FILE = "outcomes.csv";

export const PACK_FORMAT = "nightledger-pack/1";
export const EQUATION = "population = exported + failed + excluded";

export interface PackCounts {
  readonly population: number;
  readonly exported: number;
  readonly failed: number;
  readonly excluded: number;
}

/** The pack before this one, by its manifest: packs form a chain. */
interface PreviousPack {
  readonly export_id: string;
  readonly manifest_sha256: string;
}

/** What every kind of pack says of itself (docs/use/exports.md, "manifest.json"). */
export interface PackManifest {
  readonly format: typeof PACK_FORMAT;
  readonly kind: string;
  readonly export_id: string;
  /** What the kind adds: who, when, from where. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly counts: PackCounts;
  readonly equation: typeof EQUATION;
  readonly population: { readonly rows: number; readonly sha256: string };
  readonly previous: PreviousPack | null;
  /** The export that this one corrects. */
  readonly amends: string | null;
  /** {@link contentSha256}, which the pages print. */
  readonly content_sha256: string;
  readonly signature: PackSignature | null;
  readonly files: readonly PackFile[];
}

interface PackSignature {
  readonly algorithm: "Ed25519";
  /** sha256 of the public key's DER form (SubjectPublicKeyInfo). */
  readonly public_key_sha256: string;
}

/** Files of rows: what a pack's pages are made from. */
function isContent({ path }: PackFile): boolean {
  return /\.(parquet|csv)$/.test(path);
}

/**
 * One hash over all files of rows, the sha256 of their lines in `SHA256SUMS`. Pages print it, as they can't print the
 * hash of a manifest that holds their own.
 */
export function contentSha256(files: readonly PackFile[]): string {
  return createHash("sha256")
    .update(sumLines(files.filter(isContent)))
    .digest("hex");
}

/** Lines as `sha256sum` writes them, in the order of paths. */
export function sumLines(files: readonly Pick<PackFile, "path" | "sha256">[]): string {
  return [...files]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, sha256 }) => `${sha256}  ${path}\n`)
    .join("");
}

/** A manifest as its file has it. */
export function manifestText(manifest: PackManifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export function textSha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}
