import { ApplicationFailure, activityInfo, CancelledFailure } from "@temporalio/activity";
import { InputError } from "../domain/input-error.js";
import { StoreFullError } from "../lake/local-store-errors.js";

/** Attempts on a full disk before a group gives up: about two minutes. */
const ATTEMPTS_WHEN_FULL = 8;
/** Errors in which DuckDB quotes values: a customer's data must not come into histories, logs or summaries. */
const QUOTING = /^(Invalid Input|Conversion|Out of Range|Constraint) Error/;

/**
 * Runs an activity and turns what it throws into the failure that histories and tables show: one place
 * decides what is tried again (`workflows/policies.ts` says how).
 */
export async function asActivityFailure<R>(activity: () => Promise<R>): Promise<R> {
  try {
    return await activity();
  } catch (error) {
    if (error instanceof CancelledFailure || error instanceof ApplicationFailure) throw error;
    if (!(error instanceof Error)) throw error;
    const kind = QUOTING.exec(error.message)?.[0];
    throw ApplicationFailure.create({
      type: error.name,
      message: kind === undefined ? error.message : `SQL refused a value (${kind}); nothing was published`,
      nonRetryable: isFinal(error),
      ...(kind === undefined && { cause: error }),
    });
  }
}

function isFinal(error: Error): boolean {
  if (error instanceof InputError) return true;
  return error instanceof StoreFullError && activityInfo().attempt >= ATTEMPTS_WHEN_FULL;
}
