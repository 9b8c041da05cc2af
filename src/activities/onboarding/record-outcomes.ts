import { groupedBy } from "../../domain/grouped-by.js";
import type { OutcomeToRecord } from "../../domain/onboarding/customer/open-customer.js";
import { outcomeEvent } from "../../domain/onboarding/outcome.js";
import { appendDecided } from "../../lake/tables/append.js";
import { StoredText } from "../../lake/tables/encrypted-column.js";
import { onboardingEvents, onboardings } from "../../lake/tables/onboardings.js";
import { writeRows } from "../../lake/tables/parquet-file.js";
import type { Dependencies } from "../dependencies.js";

/** Writes outcomes, each once, their events first: a row in `onboardings` always has the key of its post. */
export async function recordOutcomes(
  { lake }: Pick<Dependencies, "lake">,
  records: readonly OutcomeToRecord[],
): Promise<void> {
  const [first] = records;
  if (first === undefined) return;
  const tables = [
    [onboardingEvents, eventRows],
    [onboardings, outcomeRows],
  ] as const;
  for (const [table, rowsOf] of tables) {
    await appendDecided(lake, table, async ({ txns, version }) => {
      const fresh = withoutWritten(records, txns.keys());
      if (fresh.length === 0) return { files: [], result: undefined };
      const rows = fresh.flatMap<object>(rowsOf) as Record<string, unknown>[];
      const lastUpdated = Date.now();
      const named = namesOf(fresh).map((appId) => ({ txn: { appId, version: version + 1, lastUpdated } }));
      return {
        files: await writeRows(lake, table, first.run.runId, rows),
        actions: named,
        result: undefined,
      };
    });
  }
}

/** Names a commit's transaction, with lines: one for each outcome would be as many as rows. */
function seriesOf({ run: { batchId }, outcome: { attempt, version } }: OutcomeToRecord): string {
  return `${batchId}/outcomes/${attempt}-${version}/`;
}

function namesOf(records: readonly OutcomeToRecord[]): string[] {
  return [...groupedBy(records, seriesOf)].map(
    ([series, some]) => series + linesText(some.map(({ outcome }) => outcome.line)),
  );
}

function withoutWritten(records: readonly OutcomeToRecord[], names: Iterable<string>): OutcomeToRecord[] {
  const left = new Set(records);
  const ofSeries = groupedBy(records, seriesOf);
  for (const name of names) {
    const at = name.lastIndexOf("/") + 1;
    const some = ofSeries.get(name.slice(0, at));
    if (some === undefined) continue;
    const ranges = rangesIn(name.slice(at));
    for (const one of some) {
      const { line } = one.outcome;
      if (ranges.some(([from, to]) => from <= line && line <= to)) left.delete(one);
    }
  }
  return [...left];
}

function linesText(lines: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const line of [...lines].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

function rangesIn(text: string): (readonly [from: number, to: number])[] {
  return text.split(",").map((range) => {
    const [from = 0, to = from] = range.split("-").map(Number);
    return [from, to];
  });
}

function eventRows({ run: { batchId, runId }, outcome }: OutcomeToRecord) {
  const { line, attempt, version, row_key, onboarding_id, status, settled_at } = outcome;
  const recorded = () => outcomeEvent("recorded", status, settled_at === null ? {} : { at: settled_at });
  const row = { batch_id: batchId, run_id: runId, line, attempt, version, row_key, onboarding_id };
  return (outcome.events ?? [recorded()]).map((event) => ({ ...row, ...event }));
}

function outcomeRows({ run: { batchId, runId, plainOutput }, outcome }: OutcomeToRecord) {
  const { row_key: _, events: _events, output, ...values } = outcome;
  const shown = output !== null && plainOutput ? new StoredText(output) : output;
  return [{ ...values, batch_id: batchId, run_id: runId, output: shown }];
}
