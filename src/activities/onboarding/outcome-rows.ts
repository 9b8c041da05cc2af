import type { FrozenRow } from "../../domain/onboarding/frozen-row.js";
import { isRight } from "../../domain/onboarding/frozen-row.js";
import { playbookKeyOf } from "../../domain/onboarding/identity.js";
import { type OutcomeEvent, type OutcomeRecord, withoutValues } from "../../domain/onboarding/outcome.js";
import type { Sealer } from "../../domain/sealer.js";

/** What sealed outputs are for: they open under it, wherever their row was copied to. */
const OUTPUT_CONTEXT = "onboardings.output";

/** What the rows of one batch and run have in common. */
export interface OutcomeOrigin {
  readonly batchId: string;
  readonly runId: string;
  /** As it is posted, with its version tag. */
  readonly playbook: string;
  readonly plainOutput: boolean;
}

/** A row of `onboardings`. */
export function onboardingRow(
  origin: OutcomeOrigin,
  outcome: OutcomeRecord,
  frozen: FrozenRow | undefined,
  sealer: Sealer,
): Record<string, unknown> {
  const { output, errorMessage } = outcome;
  return {
    batch_id: origin.batchId,
    run_id: origin.runId,
    line: outcome.line,
    attempt: outcome.attempt,
    version: outcome.version,
    kind: outcome.kind,
    fp_id: outcome.fpId,
    fp_bid: outcome.fpBid,
    external_id: outcome.externalId,
    onboarding_id: outcome.onboardingId,
    playbook_key: playbookKeyOf(origin.playbook),
    playbook_version: outcome.playbookVersion,
    status: outcome.status,
    requires_manual_review: outcome.requiresManualReview,
    output: output === null || origin.plainOutput ? output : sealedOutput(sealer, output),
    error_class: outcome.errorClass,
    error_message: errorMessage === null ? null : withoutValues(errorMessage, valuesOf(frozen)),
    started_at: outcome.startedAt,
    settled_at: outcome.settledAt,
    settled_by: outcome.settledBy,
    next_action: outcome.nextAction,
  };
}

/** The rows of `onboarding_events` that belong to an outcome; at least one, which names its row key. */
export function eventRows(
  { batchId, runId }: OutcomeOrigin,
  outcome: OutcomeRecord,
  now: string,
): Record<string, unknown>[] {
  const { line, attempt, version, rowKey, onboardingId } = outcome;
  return (outcome.events ?? [recorded(outcome, now)]).map((event) => ({
    batch_id: batchId,
    run_id: runId,
    line,
    attempt,
    version,
    row_key: rowKey,
    event: event.event,
    status: event.status,
    onboarding_id: onboardingId,
    message_id: event.messageId,
    at: event.at,
    detail: event.detail,
  }));
}

/** An output as `onboardings` has it, in the clear again. @throws InputError when its key is not there. */
export function openedOutput(sealer: Sealer, output: string | null): string | null {
  // JSON text of an object; the sealed form is base64, which has no brace.
  if (output === null || output.startsWith("{")) return output;
  return Buffer.from(sealer.open(Buffer.from(output, "base64"), OUTPUT_CONTEXT)).toString("utf8");
}

function sealedOutput(sealer: Sealer, output: string): string {
  return Buffer.from(sealer.seal(Buffer.from(output), OUTPUT_CONTEXT)).toString("base64");
}

function recorded({ status, settledAt }: OutcomeRecord, now: string): OutcomeEvent {
  return { event: "recorded", status, messageId: null, at: settledAt ?? now, detail: null };
}

/** What the service may quote of a row: everything but its ids, which stand in columns of their own. */
function valuesOf(frozen: FrozenRow | undefined): unknown[] {
  if (frozen === undefined || !isRight(frozen)) return [];
  return [frozen.customer.vault, frozen.customer.prerequisiteData];
}
