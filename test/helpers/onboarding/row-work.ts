import { failureOf } from "../../../src/activities/onboarding/customer/customer-failure.js";
import { RowInWork } from "../../../src/activities/onboarding/customer/row-in-work.js";
import type { OnboardingDependencies } from "../../../src/activities/onboarding/dependencies.js";
import { fail } from "../../../src/activities/onboarding/follow/work-rows.js";
import type { OpenCustomer } from "../../../src/domain/onboarding/customer/open-customer.js";

/** Works on a row, and ends it where its failure says so; the row after that, with its latest outcome. */
export async function workOn<R>(
  deps: OnboardingDependencies,
  one: OpenCustomer,
  work: (row: RowInWork) => Promise<R>,
) {
  const row = new RowInWork(deps, one, Date.now);
  const unauthorized = await work(row).catch(async (error: Error) => {
    const end = failureOf(error, row.one, row.advice);
    if (end === undefined) throw error;
    await fail(row, end);
  });
  return { ...row.one, outcome: row.records.at(-1)?.outcome, unauthorized };
}
