import type { CustomerRef } from "../../domain/onboarding/customer-step.js";

/**
 * Where the calls of a row are kept. Named by the row's key and not by its batch, so that the same row in two
 * batches is posted once, also in the seconds before the first one's outcome stands in the table.
 */
export function callPrefix({ rowKey, attempt, retry }: CustomerRef): string {
  return `_staging/onboarding-calls/${rowKey}/${retry ? attempt : "first"}/`;
}

/** Where the calls that make a row's business are kept: it is made once, however often the row is run. */
export function businessPrefix({ rowKey }: Pick<CustomerRef, "rowKey">): string {
  return `_staging/onboarding-calls/${rowKey}/business/`;
}
