import { hash } from "node:crypto";
import { InputError, StagingLostError } from "../domain/failures.js";
import type { JudgedRow, NamedFile } from "../domain/row-problem.js";
import { putStream, type SealedStore, type SealedStream, sealedStream } from "./store/sealed-store.js";

type Bytes = AsyncIterable<Uint8Array>;

/**
 * Copies the files that a row names into the staging area.
 * @throws InputError where a file does not have its hash
 */
export async function freezeFiles(
  sealed: SealedStore,
  prefix: string,
  { line, files = {} }: Pick<JudgedRow, "line" | "files">,
  open: (column: string) => Bytes | Promise<Bytes>,
): Promise<void> {
  for (const [column, { sha256 }] of Object.entries<NamedFile>(files)) {
    const key = keyOf(prefix, line, column);
    if ((await sealedStream(sealed, key))?.sha256 === sha256) continue;
    const copy = await putStream(sealed, key, await open(column));
    if (copy.sha256 !== sha256) throw changedInput(`The file in line ${line}, column ${column},`);
  }
}

/** @throws StagingLostError when it is gone */
export async function frozenFile(
  sealed: SealedStore,
  prefix: string,
  line: number,
  column: string,
): Promise<SealedStream> {
  const key = keyOf(prefix, line, column);
  const found = await sealedStream(sealed, key);
  if (found === undefined) throw new StagingLostError(key, "gone from the lake's staging area");
  return found;
}

/** The file changed after it was judged. */
export function changedInput(what: string): InputError {
  return new InputError(
    `${what} changed while it was read. Nothing was started. Run the command again once the file is complete.`,
  );
}

function keyOf(prefix: string, line: number, column: string): string {
  return `${prefix}files/${line}-${hash("sha256", column).slice(0, 16)}`;
}
