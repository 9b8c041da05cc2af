import { FAILURE_TYPES, InputError, NO_SPACE } from "../../../domain/failures.js";

/** The disk or a quota is full. Nothing was published; the step succeeds once there is room. */
export class StoreFullError extends Error {
  override readonly name = FAILURE_TYPES.transient;
  readonly code = "ENOSPC";
}

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const FORBIDDEN = new Set(["EACCES", "EPERM", "EROFS"]);
const NO_HARD_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "EXDEV", "ENOSYS", "EINVAL", "EMLINK"]);

export function errorCode(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code ?? "";
}

export function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** The error, for people, of a write that left nothing behind. */
export function unpublished(error: unknown, path: string): Error {
  if (error instanceof InputError) return error;
  const full = asFull(error, path);
  if (full !== undefined) return full;
  const code = errorCode(error);
  if (FORBIDDEN.has(code)) {
    return new InputError(
      `${path} can't be written (${code}). Nothing was published; give this user write permission ` +
        "on the directory, or name another one.",
      { cause: error },
    );
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** Undefined for any other failure than a full disk. */
export function asFull(error: unknown, path?: string): StoreFullError | undefined {
  if (error instanceof StoreFullError) return error;
  const code = errorCode(error);
  if (!FULL.has(code)) return undefined;
  const place =
    path ??
    (error as NodeJS.ErrnoException).path ??
    "a file of the lake, of NIGHTLEDGER_HOME or of NIGHTLEDGER_SCRATCH";
  return new StoreFullError(
    `${NO_SPACE} ${place} (${code}). Nothing was published and the tables are as they were; ` +
      "make room and run the same command again.",
    { cause: error },
  );
}

/** Some mounts have no hard links, which commits need. */
export function unlinkable(error: unknown, directory: string): Error {
  if (!NO_HARD_LINKS.has(errorCode(error))) return unpublished(error, directory);
  return new InputError(
    `The file system of ${directory} refuses hard links (${errorCode(error)}), which commits need. ` +
      "Nothing was published; put the lake on a local file system such as ext4, xfs, apfs or zfs.",
    { cause: error },
  );
}

export function unreadable(error: unknown, path: string): Error {
  if (FORBIDDEN.has(errorCode(error))) {
    return new InputError(
      `${path} can't be read (${errorCode(error)}). Give this user read permission and run again.`,
      { cause: error },
    );
  }
  return error instanceof Error ? error : new Error(String(error));
}
