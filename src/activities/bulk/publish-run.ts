import { aboutOthers, type BulkRun, type RowEnd } from "../../domain/bulk/bulk-job.js";
import { type BulkTotals, failuresOf, noBulkTotals, sumOfTotals } from "../../domain/bulk/bulk-totals.js";
import { anotherSubjectReason } from "../../domain/failures.js";
import { maskedId } from "../../domain/service/external-id.js";
import type { ClosedGroup } from "../../jobs/job.js";
import type { StagedClose } from "../../lake/bulk/bulk-staging.js";
import { VERSION } from "../../version.js";
import { recordFailures } from "../run-row.js";
import { writeGroup } from "./close-group.js";
import {
  type BulkDependencies,
  endsOf,
  type OpenGroup,
  type OpenRun,
  openGroup,
  openRun,
} from "./open-group.js";

interface PublishRunInput extends BulkRun {
  readonly groups: number;
  readonly startedAt: string;
}

interface PublishedRun {
  /** What its kind reports in the summary. */
  readonly told: Readonly<Record<string, unknown>>;
  /** What changes in the totals, now that the whole run was seen. */
  readonly totals: BulkTotals;
}

/** Judges a run as a whole, publishes what its kind publishes, then writes its rows to the tables. */
export async function publishRun(
  deps: BulkDependencies,
  { groups, startedAt, ...run }: PublishRunInput,
): Promise<PublishedRun> {
  const opened = openRun(deps, run);
  const { job, staging, context } = opened;
  const { asker, secrets, retryOf } = await staging.file.require();
  const open = async (number: number) => ({
    group: await openGroup(deps, { ...run, group: number }),
    close: await staging.closed(number),
  });
  async function* everyGroup() {
    for (let number = 0; number < groups; number += 1) yield await open(number);
  }
  async function* closed(): AsyncGenerator<ClosedGroup<object, unknown>> {
    for await (const { group, close } of everyGroup()) {
      const invalid = group.rows.filter(({ row }) => row === null);
      yield { items: await group.allEnded(close), invalid };
    }
  }
  // Publishing can't be undone, so check first that every table can be written.
  for (const { name } of job.tables) await deps.lake.table(name).writableSnapshot();
  const totals = await failOthers(deps, opened, run.runId, everyGroup);
  const given = { ...(await context()), asker, secrets, retryOf, startedAt, version: VERSION };
  const told = await job.publish?.({ ...given, groups: closed });
  for await (const one of everyGroup()) await writeGroup(deps, { ...run, group: one.group.number }, one);
  return { told: told ?? {}, totals };
}

interface OpenedGroup {
  readonly group: OpenGroup;
  readonly close: StagedClose;
}

/**
 * Fails the items of a run whose answers are about others, as all groups together show; of several attempts the first
 * decides. Returns what that changes in the totals, which count these items as done, skipped or failed.
 */
async function failOthers(
  deps: BulkDependencies,
  { job, staging }: OpenRun,
  runId: string,
  opened: () => AsyncIterable<OpenedGroup>,
): Promise<BulkTotals> {
  const { about } = job;
  if (about === undefined) return noBulkTotals();
  if ((await staging.others.find()) === undefined) {
    const answers = [];
    for await (const { group, close } of opened()) {
      for await (const ended of group.ended(close)) {
        if (ended.result === null) continue;
        const ends = endsOf(job, ended);
        const countOf = (end: RowEnd["status"]) => ends.filter(({ status }) => status === end).length;
        const counted = { skipped: countOf("skipped"), failed: countOf("failed") };
        const place = { group: group.number, item: ended.number, ...counted };
        for (const named of about(ended.rows, ended.result)) answers.push({ ...named, ...place });
      }
    }
    const failed = aboutOthers(answers).map(({ field, ...one }) => {
      const [answered, asked] = [maskedId(one.answered), maskedId(one.asked)];
      const { group, item, skipped, failed } = one;
      return { group, item, skipped, failed, reason: anotherSubjectReason({ field, answered, asked }) };
    });
    // An item that names several others fails once.
    const byItem = new Map(failed.map((one) => [`${one.group}/${one.item}`, one]));
    await staging.others.keep([...byItem.values()]);
  }
  const others = await staging.others.require();
  const parts: BulkTotals[] = [];
  for await (const { group, close } of others.length === 0 ? [] : opened()) {
    const ofGroup = others.filter((one) => one.group === group.number);
    const failed = new Set(ofGroup.map(({ item }) => item));
    const items = (await group.closedItems(close)).filter(({ number }) => failed.has(number));
    const ends = items.flatMap((item) => item.ends);
    const part = `g${group.number}/others`;
    await recordFailures(deps.lake, { runId, part }, failuresOf(ends, group.ownerOf));
    const counted = (end: "skipped" | "failed") => ofGroup.reduce((sum, one) => sum + (one[end] ?? 0), 0);
    const [skipped, before] = [counted("skipped"), counted("failed")];
    const done = skipped + before - ends.length;
    const rows = { ...noBulkTotals().rows, done, skipped: -skipped, failed: -before };
    parts.push({ ...noBulkTotals(), rows }, ...items.map(({ totals }) => totals));
  }
  return sumOfTotals(parts);
}
