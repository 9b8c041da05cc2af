import type { ApiClient } from "../api/http/client.js";
import { readList } from "../api/lists/read-list.js";
import type { Operation, ParamsOf } from "../api/operations/operation.js";
import type { OnboardingItem } from "../api/schemas/onboarding.js";
import type { Caller } from "./job.js";

/** Reads a list of onboardings; each page is a call of the item, so a repeated item reads the same pages. */
export function readOnboardings<O extends Operation>(
  caller: Caller,
  operation: O,
  params: ParamsOf<O>,
): AsyncIterable<OnboardingItem> {
  let pages = 0;
  const read: ApiClient["read"] = async (asked, given) => {
    pages += 1;
    return (await caller.once(`onboardings-${pages}`, asked, given)).body;
  };
  return readList<O, OnboardingItem>({ read }, operation, params);
}
