import { cancellationSignal } from "@temporalio/activity";
import type { BulkRun } from "../../domain/bulk/bulk-job.js";
import type { ClosedGroup } from "../../jobs/job.js";
import { VERSION } from "../../version.js";
import { withHeartbeat } from "../heartbeat.js";
import { writeGroup } from "./close-group.js";
import { type BulkDependencies, jobOf, stagingOf } from "./dependencies.js";
import { endedItems } from "./ended-items.js";
import { placeOf } from "./group-plan.js";

interface PublishRunInput extends BulkRun {
  readonly groups: number;
  readonly startedAt: string;
}

/** Publishes a run of a kind that publishes everything at once, then writes its rows; what the kind tells of it. */
export async function publishRun(
  deps: BulkDependencies,
  { groups, startedAt, ...run }: PublishRunInput,
): Promise<Readonly<Record<string, unknown>>> {
  return withHeartbeat(async () => {
    const staging = stagingOf(deps, run);
    const { sha256, rows: total, asker, secrets, retryOf } = await staging.file();
    const endedOf = async (group: number) => endedItems(deps, { ...run, group }, await staging.close(group));
    async function* closed(): AsyncGenerator<ClosedGroup<object, unknown>> {
      for (let group = 0; group < groups; group += 1) {
        const { items, rows } = await endedOf(group);
        yield { items, invalid: rows.filter(({ row }) => row === null) };
      }
    }
    const place = {
      ...(await placeOf(deps, run)),
      rows: { sha256, total },
      asker,
      secrets,
      retryOf,
      startedAt,
      version: VERSION,
      signal: cancellationSignal(),
    };
    const told = await jobOf(deps, run).pack?.({ ...place, groups: closed });
    for (let group = 0; group < groups; group += 1) {
      await writeGroup(deps, { ...run, group }, (await endedOf(group)).items);
    }
    return told ?? {};
  });
}
