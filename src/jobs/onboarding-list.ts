import type { ApiClient } from "../api/http/client.js";
import { SchemaError, TransientError } from "../api/http/errors.js";
import { readList } from "../api/lists/read-list.js";
import type { Operation, ParamsOf } from "../api/operations/operation.js";
import type { OnboardingItem } from "../api/schemas/onboarding.js";
import type { Caller } from "./job.js";

/** Reads a list of onboardings; each page is a call of the item, so a repeated item reads the same pages. */
export async function* readOnboardings<O extends Operation>(
  caller: Caller,
  operation: O,
  params: ParamsOf<O>,
): AsyncGenerator<OnboardingItem> {
  let pages = 0;
  const read: ApiClient["read"] = async (asked, given) => {
    pages += 1;
    return (await caller.once(`onboardings-${pages}`, asked, given)).body;
  };
  try {
    yield* readList<O, OnboardingItem>({ read }, operation, params);
  } catch (error) {
    if (!(error instanceof TransientError && error.reason === "list_moved")) throw error;
    // Waiting does not help: the pages are stored.
    const facts = { operation: operation.name, sent: true };
    throw new SchemaError(facts, "data", "expected a list that stays as it is while it is read");
  }
}
