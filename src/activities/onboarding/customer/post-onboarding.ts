import { AnotherSubjectError, factsOf } from "../../../api/http/errors.js";
import { createOnboarding } from "../../../api/operations/onboarding.js";
import type { ParamsOf } from "../../../api/operations/operation.js";
import type { Unauthorized } from "../../../domain/failures.js";
import type { CustomerInput } from "../../../domain/onboarding/batch/batch-state.js";
import { afterPost } from "../../../domain/onboarding/customer/customer-state.js";
import { type CustomerRow, valuesOf } from "../../../domain/onboarding/customer.js";
import { playbookKeyOf } from "../../../domain/onboarding/identity.js";
import { maskedId } from "../../../domain/service/external-id.js";
import { type OnboardingTaker, takeOnboarding } from "../../../lake/onboarding/call-notes.js";
import { callOnce } from "../../calls/call-once.js";
import {
  observeLists,
  onboardingResolution,
  type StartedOnboarding,
} from "../../calls/onboarding-resolution.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { applyAnswer, reportOf } from "./apply-answer.js";
import { onboardingPrefix } from "./call-prefix.js";
import { preparedId } from "./prepare-customer.js";
import type { RowInWork } from "./row-in-work.js";

/**
 * Posts a row's onboarding, once: the idempotency id or the entity's onboardings resolve a lost answer
 * (docs/reference/api-operations.md).
 */
export async function postOnboarding(row: RowInWork): Promise<Unauthorized | undefined> {
  const { input, state } = row.one;
  const { customer } = await row.deps.batches.row(input.batchId, input.row);
  return row.call(valuesOf(customer), async (deps) => {
    const made = customer.create ? await preparedId(deps, input) : null;
    const body = await post(deps, input, customer, made);
    const next = afterPost(state, reportOf(body), input.syncTimeoutSecs === null);
    await applyAnswer(row, next, body, { fp_bid: made });
  });
}

async function post(
  deps: OnboardingDependencies,
  input: CustomerInput,
  customer: CustomerRow,
  made: string | null,
): Promise<StartedOnboarding> {
  const { batchId, authEpoch, before, retry, syncTimeoutSecs } = input;
  const { externalId, prerequisiteData } = customer;
  const { playbook } = await deps.batches.require(batchId);
  // With the external id, which is the idempotency id, a retry would get the failed onboarding again.
  const fpId = customer.fpId ?? (externalId === null || retry ? made : null);
  const params = {
    body: {
      key: playbook,
      ...(fpId === null ? { external_id: externalId ?? "" } : { fp_id: fpId }),
      ...(prerequisiteData !== null && { prerequisite_data: prerequisiteData }),
      ...(syncTimeoutSecs !== null && { synchronous_timeout_secs: syncTimeoutSecs }),
    },
  };
  const prefix = await onboardingPrefix(deps, input);
  const { body: answer, repeated } = await callOnce<typeof createOnboarding, StartedOnboarding>(deps, {
    operation: createOnboarding,
    params,
    key: prefix,
    resolution: onboardingResolution(deps, params, {
      run: authEpoch,
      others: before === null ? [] : [before],
    }),
    run: authEpoch,
    accept: (body) => mustBeOwn(deps, input, params.body, body),
    send: (sent, options) => deps.api.read(createOnboarding, sent, options),
  });
  if (fpId !== null && repeated === "no") await observeLists(deps, fpId, answer);
  return answer;
}

/** @throws AnotherSubjectError when the onboarding is another customer's, or of another playbook */
async function mustBeOwn(
  { sealed }: OnboardingDependencies,
  { batchId, rowKey }: CustomerInput,
  { key, fp_id, external_id }: ParamsOf<typeof createOnboarding>["body"],
  { id }: StartedOnboarding,
): Promise<void> {
  const own = { playbookKey: playbookKeyOf(key), batchId, rowKey, fp_id, external_id };
  const other = await takeOnboarding(sealed, id, own);
  if (other === undefined) return;
  const what = other.playbookKey === own.playbookKey ? "customer" : "playbook";
  const nameOf = (one: OnboardingTaker) =>
    what === "playbook" ? one.playbookKey : maskedId(one.fp_id ?? one.external_id ?? "");
  const field = `the ${what} of onboarding ${maskedId(id)}`;
  throw new AnotherSubjectError(factsOf(createOnboarding), {
    field,
    answered: nameOf(other),
    asked: nameOf(own),
  });
}
