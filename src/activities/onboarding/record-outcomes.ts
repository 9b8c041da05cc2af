import { mapConcurrent } from "../../domain/concurrent-work.js";
import type { BatchRunInput } from "../../domain/onboarding/batch/batch-rows.js";
import { isRight } from "../../domain/onboarding/customer.js";
import { playbookKeyOf } from "../../domain/onboarding/identity.js";
import {
  type Outcome,
  type OutcomeName,
  type OutcomeOrigin,
  type OutcomeRow,
  outcomeEvent,
} from "../../domain/onboarding/outcome.js";
import { withoutValues } from "../../domain/service/quoted-values.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import { getOutcome } from "../../lake/onboarding/frozen-batch.js";
import { appendEach, appendOnce } from "../../lake/tables/append.js";
import { StoredText } from "../../lake/tables/encrypted-column.js";
import { onboardingEvents, onboardings } from "../../lake/tables/onboardings.js";
import { type DataFile, writeRows } from "../../lake/tables/parquet-file.js";
import type { OnboardingDependencies } from "./dependencies.js";

const READ_AT_ONCE = 16;

/** A row as it is written: an output that shall be plain is a {@link StoredText}. */
type WrittenOutcome = Omit<OutcomeRow, "output"> & { readonly output: string | StoredText | null };

interface RecordOutcomesInput extends Pick<BatchRunInput, "batchId" | "runId" | "plainOutput"> {
  /** Names this set of rows within the run: the same name is written once. Null: each row by itself is. */
  readonly chunk: string | null;
  /** Outcomes that were staged with `putOutcome`. */
  readonly rows: readonly OutcomeName[];
}

/** Writes staged outcomes once, their events first: a row in `onboardings` always has the key of its post. */
export async function recordOutcomes(
  deps: OnboardingDependencies,
  { batchId, runId, chunk, plainOutput, rows }: RecordOutcomesInput,
): Promise<void> {
  if (rows.length === 0) return;
  const { lake, sealed, batches } = deps;
  const read = new Map<OutcomeName, Promise<Outcome>>();
  const outcomes = (some: readonly OutcomeName[]) =>
    mapConcurrent(READ_AT_ONCE, some, (name) => {
      const found = read.get(name) ?? getOutcome(sealed, batchId, name);
      read.set(name, found);
      return found;
    });
  const origin = async () => {
    const { playbook } = await batches.require(batchId);
    return { batch_id: batchId, run_id: runId, playbook_key: playbookKeyOf(playbook) };
  };
  const append = (spec: TableSpec, write: (some: readonly OutcomeName[]) => Promise<DataFile[]>) =>
    chunk === null
      ? appendEach(
          lake,
          spec,
          rows,
          ({ line, attempt, version }) => `${runId}/outcomes/${line}-${attempt}-${version}`,
          write,
        )
      : appendOnce(lake, spec, `${runId}/outcomes/${chunk}`, () => write(rows));
  await append(onboardingEvents, async (some) => {
    const { playbook_key: _, ...of } = await origin();
    const events = (await outcomes(some)).flatMap((outcome) => eventRows(of, outcome));
    return writeRows(lake, onboardingEvents, runId, events);
  });
  await append(onboardings, async (some) => {
    const of = await origin();
    const found = await outcomes(some);
    const written = await mapConcurrent(READ_AT_ONCE, found, (one) => rowOf(deps, of, one, plainOutput));
    return writeRows(lake, onboardings, runId, written);
  });
}

/** The events of an outcome; at least one, which names its row key. */
function eventRows(origin: Omit<OutcomeOrigin, "playbook_key">, outcome: Outcome) {
  const { line, attempt, version, row_key, onboarding_id, status, settled_at } = outcome;
  const recorded = () => outcomeEvent("recorded", status, settled_at === null ? {} : { at: settled_at });
  return (outcome.events ?? [recorded()]).map((event) => ({
    ...origin,
    line,
    attempt,
    version,
    row_key,
    onboarding_id,
    ...event,
  }));
}

/** The row of an outcome: `output` is encrypted unless it shall be plain, its message without the row's own values. */
async function rowOf(
  { batches }: Pick<OnboardingDependencies, "batches">,
  origin: OutcomeOrigin,
  { row, row_key: _, events: _events, ...outcome }: Outcome,
  plainOutput: boolean,
): Promise<WrittenOutcome> {
  const { output, error_message } = outcome;
  const values = error_message === null ? [] : await valuesOf({ batches }, origin.batch_id, row);
  return {
    ...outcome,
    ...origin,
    output: output !== null && plainOutput ? new StoredText(output) : output,
    error_message: error_message === null ? null : withoutValues(error_message, values),
  };
}

/** What a message may quote of a row: everything but its ids, which have columns of their own. */
async function valuesOf(
  { batches }: Pick<OnboardingDependencies, "batches">,
  batchId: string,
  index: number,
): Promise<unknown[]> {
  const [frozen] = await batches.rows(batchId, index, index + 1);
  if (frozen === undefined || !isRight(frozen)) return [];
  return [frozen.customer.vault, frozen.customer.prerequisiteData];
}
