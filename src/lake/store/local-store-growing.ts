import { closeSync, ftruncateSync, openSync, writevSync } from "node:fs";
import { unpublished } from "./local-store-errors.js";
import type { GrowingObject } from "./object-store.js";

export function growFile(path: string, mode: number): GrowingObject {
  const file = openSync(path, "ax", mode);
  let end = 0;
  let broken: Error | undefined;
  return {
    append(parts) {
      if (broken !== undefined) throw broken;
      const at = end;
      try {
        end += writeAll(file, parts);
        return at;
      } catch (error) {
        broken = unpublished(error, path);
        // No record may follow half a record.
        ftruncateSync(file, at);
        throw broken;
      }
    },
    async close() {
      closeSync(file);
    },
  };
}

/** Writes until everything is taken: a nearly full disk takes a part, and fails only at the next write. */
function writeAll(file: number, parts: readonly Uint8Array[]): number {
  let written = 0;
  let rest = parts.filter(({ length }) => length > 0);
  while (rest.length > 0) {
    let taken = writevSync(file, rest);
    written += taken;
    rest = rest.flatMap((part) => {
      const skipped = Math.min(taken, part.length);
      taken -= skipped;
      return skipped === part.length ? [] : [part.subarray(skipped)];
    });
  }
  return written;
}
