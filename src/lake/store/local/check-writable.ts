import { access, constants, lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { InputError } from "../../../domain/failures.js";

/** Checks that a directory, or its nearest existing parent, is writable; creates nothing. @throws InputError that begins with `given`. */
export async function checkWritable(given: string, path: string): Promise<void> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    const link = found ?? (await lstat(at).catch(() => undefined));
    if (link?.isSymbolicLink()) {
      throw new InputError(`${given}: ${at} is a link to nothing. Accepted: a writable directory.`);
    }
    if (found === undefined && at !== dirname(at)) continue;
    if (found !== undefined && !found.isDirectory()) {
      throw new InputError(`${given}: ${at} is not a directory. Accepted: a writable directory.`);
    }
    await access(at, constants.W_OK | constants.X_OK).catch(() => {
      throw new InputError(`${given}: ${at} is not writable. Accepted: a writable directory.`);
    });
    return;
  }
}
