import { readFile } from "node:fs/promises";
import { InputError } from "../../domain/failures.js";
import { signingKey } from "../../lake/bulk/pack/signature.js";

/** Reads the file of `--sign-key`, as a secret of a job. @throws InputError for what is not an Ed25519 private key. */
export async function readSignKey(path: string): Promise<{ readonly signKey: string }> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new InputError(`--sign-key ${path} can't be read (${error.code}). Nothing was started.`);
  });
  signingKey(text, path);
  return { signKey: text };
}
