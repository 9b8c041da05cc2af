import { mapConcurrent } from "../../domain/concurrent-work.js";
import { playbookKeyOf } from "../../domain/onboarding/identity.js";
import type { Outcome, OutcomeName, OutcomeOrigin, OutcomeRow } from "../../domain/onboarding/outcome.js";
import { getOutcome } from "../../lake/onboarding/staged-outcomes.js";
import { appendOnce } from "../../lake/tables/append.js";
import { onboardingEvents } from "../../lake/tables/onboarding-events.js";
import { onboardings } from "../../lake/tables/onboardings.js";
import { writeRows } from "../../lake/tables/parquet-file.js";
import { withHeartbeat } from "../heartbeat.js";
import type { OnboardingDependencies } from "./dependencies.js";
import { eventRows, onboardingRow } from "./outcome-rows.js";

const READ_AT_ONCE = 16;

interface RecordOutcomesInput {
  readonly batchId: string;
  readonly runId: string;
  /** Names this set of rows within the run: the same name is written once. */
  readonly chunk: string;
  /** Whether `output` stands in the table in the clear. */
  readonly plainOutput: boolean;
  /** Outcomes that were staged with `putOutcome`. */
  readonly rows: readonly OutcomeName[];
}

/**
 * Writes staged outcomes into `onboarding_events` and then `onboardings`, one file each, once. The events come
 * first: a row in `onboardings` always has the key under which it was posted.
 */
export async function recordOutcomes(
  deps: OnboardingDependencies,
  input: RecordOutcomesInput,
): Promise<void> {
  const { batchId, runId, chunk, plainOutput } = input;
  if (input.rows.length === 0) return;
  await withHeartbeat(async () => {
    const appId = `${runId}/outcomes/${chunk}`;
    const now = new Date().toISOString();
    const read = once(async () => {
      const { playbook } = await deps.batches.require(batchId);
      const origin: OutcomeOrigin = {
        batch_id: batchId,
        run_id: runId,
        playbook_key: playbookKeyOf(playbook),
      };
      const outcomes = await mapConcurrent(READ_AT_ONCE, input.rows, (name) =>
        getOutcome(deps.sealed, batchId, name),
      );
      return { origin, outcomes };
    });
    await appendOnce(deps.lake, onboardingEvents, appId, async () => {
      const { origin, outcomes } = await read();
      const rows = outcomes.flatMap((outcome) => eventRows(origin, outcome, now));
      return writeRows(deps.lake, onboardingEvents, runId, rows);
    });
    await appendOnce(deps.lake, onboardings, appId, async () => {
      const { origin, outcomes } = await read();
      const rows = await mapConcurrent(READ_AT_ONCE, outcomes, (outcome) =>
        rowOf(deps, origin, outcome, plainOutput),
      );
      return writeRows(deps.lake, onboardings, runId, rows);
    });
  });
}

async function rowOf(
  deps: OnboardingDependencies,
  origin: OutcomeOrigin,
  outcome: Outcome,
  plainOutput: boolean,
): Promise<OutcomeRow> {
  // Only a message can quote the row's values.
  const [frozen] =
    outcome.error_message === null
      ? []
      : await deps.batches.rows(origin.batch_id, outcome.row, outcome.row + 1);
  return onboardingRow(origin, outcome, plainOutput, frozen, deps.sealed.sealer);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
