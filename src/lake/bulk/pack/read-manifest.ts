import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../../domain/failures.js";
import { isAbsent, unreadable } from "../../store/local/local-store-errors.js";
import { manifestSchema, manifestText, PackError, type PackManifest, PROOF, textSha256 } from "./manifest.js";

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
