import { AuthError } from "../../../api/http/errors.js";
import { createOnboarding } from "../../../api/operations/onboarding-creation.js";
import { afterReport } from "../../../domain/onboarding/customer/customer-state.js";
import type { CustomerStep, CustomerStepInput } from "../../../domain/onboarding/customer/customer-step.js";
import { type CustomerRow, valuesOf } from "../../../domain/onboarding/customer.js";
import { callOnce } from "../../calls/call-once.js";
import { onboardingResolution, type StartedOnboarding } from "../../calls/onboarding-resolution.js";
import { countedCalls } from "../../counted-calls.js";
import { withHeartbeat } from "../../heartbeat.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { stageOutcome } from "../stage-outcome.js";
import { onboardingPrefix } from "./call-prefix.js";
import { offerLink } from "./continuations.js";
import { failedStep, refusedStep } from "./customer-failure.js";
import { preparedId } from "./prepare-customer.js";
import { adoptUnnamed, postUnnamed } from "./unnamed-onboarding.js";

interface PostOnboardingInput extends CustomerStepInput {
  /**
   * Seconds that the service may take to decide; null to be told by webhook
   * (docs/reference/service.md, "Onboarding creation").
   */
  readonly syncTimeoutSecs: number | null;
}

/**
 * Posts the onboarding of a row, once however often it is repeated: an answer that was lost is settled by the
 * idempotency id or by the entity's onboardings, never by a blind second request (docs/reference/api-operations.md). What the
 * service refuses for good, or what nothing can tell, ends the row as `failed`.
 */
export async function postOnboarding(
  given: OnboardingDependencies,
  input: PostOnboardingInput,
): Promise<CustomerStep> {
  return withHeartbeat(async () => {
    const { customer } = await given.batches.row(input.batchId, input.row);
    const counted = countedCalls(given, valuesOf(customer));
    const { deps } = counted;
    try {
      const { body, entity } = await post(deps, input, customer);
      const posted = afterReport(input.state, reportOf(body), "sync");
      const { state, link } = await offerLink(deps, input, posted, body.continue_onboarding);
      const staged = await stageOutcome(deps, input, state, {
        answer: body,
        fp_bid: entity,
      });
      return { ...staged, link, unauthorized: false, calls: counted.calls };
    } catch (error) {
      if (error instanceof AuthError) return refusedStep(input, counted.calls);
      return failedStep(counted, input, error);
    }
  });
}

async function post(deps: OnboardingDependencies, input: PostOnboardingInput, customer: CustomerRow) {
  const { batchId, latch, before, retry, syncTimeoutSecs } = input;
  const { playbook } = await deps.batches.require(batchId);
  const made = customer.create ? await preparedId(deps, input) : null;
  // The external id is the idempotency id: posted again with it, a failed onboarding would be given once more.
  const fpId = customer.fpId ?? (customer.externalId === null || retry ? made : null);
  const params = {
    body: {
      key: playbook,
      ...(fpId === null ? { external_id: customer.externalId ?? "" } : { fp_id: fpId }),
      ...(customer.prerequisiteData !== null && { prerequisite_data: customer.prerequisiteData }),
      ...(syncTimeoutSecs !== null && { synchronous_timeout_secs: syncTimeoutSecs }),
    },
  };
  const known = before === null ? [] : [before];
  const prefix = await onboardingPrefix(deps, input);
  const call = { ref: input, params, prefix };
  const once = () =>
    callOnce<typeof createOnboarding, StartedOnboarding>(deps, {
      operation: createOnboarding,
      params,
      key: prefix,
      resolution: onboardingResolution(deps, params, { run: latch, known }),
      run: latch,
      send: (asked, options) => deps.api.read(createOnboarding, asked, options),
    });
  if (customer.fpId !== null) await adoptUnnamed(deps, call);
  const { body } = await (customer.fpId === null ? postUnnamed(deps, call, once) : once());
  return { body, entity: made };
}

function reportOf({ id, status, requires_manual_review, output }: StartedOnboarding) {
  return {
    onboardingId: id,
    status,
    requiresManualReview: requires_manual_review,
    hasOutput: output != null,
  };
}
