import { FAILURE_TYPES } from "../../domain/failures.js";

/**
 * Thrown when other writers took every version a commit tried for. Nothing of it was published; trying
 * again later succeeds.
 */
export class DeltaConflictError extends Error {
  override readonly name = FAILURE_TYPES.transient;

  constructor(
    readonly table: string,
    readonly attempts: number,
  ) {
    super(
      `Other writers took the next version of table ${table} ${attempts} times in a row. ` +
        "Nothing of this commit was published; it can be tried again.",
    );
  }
}
