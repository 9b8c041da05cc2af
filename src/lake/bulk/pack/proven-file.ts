import { lstat, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PackError, type PackManifest, PROOF, textSha256 } from "./manifest.js";
import { readProvenManifest } from "./verify-pack.js";

/** What {@link provenFile} reads besides the file itself. */
export const FILES_OF_PROOF = [PROOF.sums, PROOF.manifest] as const;

/**
 * Reads one file of a pack in a directory, and nothing that is not the very bytes that its manifest names: no link is
 * followed to another file, and what has changed since is not shown.
 *
 * @param id of the pack that it must be
 * @throws PackError where it is none of the pack's files, or another than was written; InputError where there is no pack
 */
export async function provenFile(
  directory: string,
  id: string,
  path: string,
): Promise<{ readonly bytes: Buffer; readonly manifest: PackManifest }> {
  // Asked before anything is opened: to open a pipe would wait for its other end.
  await expectKind(directory, ".", "a directory");
  for (const name of FILES_OF_PROOF) await expectKind(directory, name, "a file");
  const { manifest } = await readProvenManifest(directory);
  const written = manifest.files.find((one) => one.path === path);
  if (manifest.export_id !== id || written === undefined)
    throw new PackError(`${path} is not one of the files of pack ${id}`);
  if (dirname(path) !== ".") await expectKind(directory, dirname(path), "a directory");
  const { size } = await expectKind(directory, path, "a file");
  const bytes = size === written.bytes ? await readFile(join(directory, path)) : undefined;
  if (bytes === undefined || textSha256(bytes) !== written.sha256)
    throw new PackError(`${path} of pack ${id} is not what was written`);
  return { bytes, manifest };
}

async function expectKind(directory: string, path: string, kind: "a file" | "a directory") {
  const found = await lstat(join(directory, path)).catch(() => undefined);
  if (found !== undefined && (kind === "a file" ? found.isFile() : found.isDirectory())) return found;
  throw new PackError(`${path} is ${found === undefined ? "missing" : `not ${kind}`}`);
}
