import { type FrozenRow, isRight } from "../../domain/onboarding/frozen-row.js";
import type { Outcome, OutcomeEvent, OutcomeOrigin, OutcomeRow } from "../../domain/onboarding/outcome.js";
import type { Sealer } from "../../domain/sealer.js";
import { withoutValues } from "../../domain/service/quoted-values.js";
import { sealColumn } from "../../lake/tables/encrypted-column.js";
import { onboardings } from "../../lake/tables/onboardings.js";

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
    output: output === null || plainOutput ? output : sealColumn(sealer, onboardings, "output", output),
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

function recorded({ status, settled_at }: Outcome, now: string): OutcomeEvent {
  return { event: "recorded", status, message_id: null, at: settled_at ?? now, detail: null };
}

/** What the service may quote of a row: everything but its ids, which stand in columns of their own. */
function valuesOf(frozen: FrozenRow | undefined): unknown[] {
  if (frozen === undefined || !isRight(frozen)) return [];
  return [frozen.customer.vault, frozen.customer.prerequisiteData];
}
