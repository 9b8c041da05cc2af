import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { InputError } from "../../../domain/failures.js";
import { isAbsent, unreadable } from "../../store/local-store-errors.js";
import { EQUATION, manifestText, PACK_FORMAT, type PackManifest, PROOF, textSha256 } from "./manifest.js";
import { PackError } from "./pack-error.js";
import { isPackPath } from "./pack-files.js";

const count = z.int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/, "not a sha256 in hex");
const id = z.string().regex(/^[\w.-]{1,128}$/, "not an id");

const manifestSchema = z.strictObject({
  format: z.literal(PACK_FORMAT),
  kind: id,
  export_id: id,
  facts: z.record(z.string(), z.unknown()),
  counts: z.strictObject({ population: count, exported: count, failed: count, excluded: count }),
  equation: z.literal(EQUATION),
  population: z.strictObject({ rows: count, sha256: hash }),
  previous: z.strictObject({ export_id: id, manifest_sha256: hash }).nullable(),
  amends: id.nullable(),
  content_sha256: hash,
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

/** A manifest with the bytes that it was read from. */
export interface ReadManifest {
  readonly manifest: PackManifest;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/**
 * Reads and judges the manifest of a pack; `expect` sees its hash before its contents are looked at.
 *
 * @throws InputError where the directory has none; PackError where it is not a manifest of this form.
 */
export async function readManifest(
  directory: string,
  expect: (sha256: string) => void = () => undefined,
): Promise<ReadManifest> {
  const path = join(directory, PROOF.manifest);
  const bytes = await readFile(path).catch((error) => {
    if (isAbsent(error)) throw new InputError(`${directory} has no ${PROOF.manifest}: it is not a pack`);
    throw unreadable(error, path);
  });
  const sha256 = textSha256(bytes);
  expect(sha256);
  const manifest = parsed(bytes.toString("utf8"));
  return { manifest, bytes, sha256 };
}

function parsed(text: string): PackManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new PackError(`${PROOF.manifest} is not JSON: it was changed or cut`);
  }
  const { success, data, error } = manifestSchema.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    const where = issue?.path.join(".") || "the whole";
    throw new PackError(`${PROOF.manifest}: ${where}: ${issue?.message}`);
  }
  if (manifestText(data) !== text) {
    throw new PackError(`${PROOF.manifest} is not written as it was: spaces, order or spelling were changed`);
  }
  return data;
}
