import { type FrozenRow, isRight } from "../../domain/onboarding/frozen-row.js";
import {
  type Outcome,
  type OutcomeEvent,
  type OutcomeOrigin,
  type OutcomeRow,
  withoutValues,
} from "../../domain/onboarding/outcome.js";
import type { Sealer } from "../../domain/sealer.js";

/** What sealed outputs are for: they open under it, wherever their row was copied to. */
const OUTPUT_CONTEXT = "onboardings.output";

/** A row of `onboardings`: `output` sealed unless it shall be plain, messages without the row's own values. */
export function onboardingRow(
  origin: OutcomeOrigin,
  { row: _, row_key: _key, events: _events, ...outcome }: Outcome,
  plainOutput: boolean,
  frozen: FrozenRow | undefined,
  sealer: Sealer,
): OutcomeRow {
  const { output, error_message } = outcome;
  return {
    ...outcome,
    ...origin,
    output: output === null || plainOutput ? output : sealedOutput(sealer, output),
    error_message: error_message === null ? null : withoutValues(error_message, valuesOf(frozen)),
  };
}

/** The rows of `onboarding_events` that belong to an outcome; at least one, which names its row key. */
export function eventRows({ batch_id, run_id }: OutcomeOrigin, outcome: Outcome, now: string) {
  const { line, attempt, version, row_key, onboarding_id } = outcome;
  return (outcome.events ?? [recorded(outcome, now)]).map((event) => ({
    batch_id,
    run_id,
    line,
    attempt,
    version,
    row_key,
    onboarding_id,
    ...event,
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

function recorded({ status, settled_at }: Outcome, now: string): OutcomeEvent {
  return { event: "recorded", status, message_id: null, at: settled_at ?? now, detail: null };
}

/** What the service may quote of a row: everything but its ids, which stand in columns of their own. */
function valuesOf(frozen: FrozenRow | undefined): unknown[] {
  if (frozen === undefined || !isRight(frozen)) return [];
  return [frozen.customer.vault, frozen.customer.prerequisiteData];
}
