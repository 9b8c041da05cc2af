import type { Client } from "@temporalio/client";
import type { ApiClient } from "../../api/http/client.js";
import type { Asker } from "../../domain/bulk/bulk-job.js";
import type { FiredRun } from "../../domain/schedules/scheduled-run.js";
import { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import { readBinding } from "../../lake/service-binding.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import type { StartedRun } from "../../temporal/running-workflows.js";
import { type BulkRequest, openJob } from "../bulk/bulk-request.js";
import { checkedRows, judgeFile, refuseInvalid } from "../bulk/input-rows.js";
import { startBulk } from "../bulk/start.js";
import { type BatchRequest, batchOptions, judgeBatch, startOnboarding } from "../onboarding/start.js";
import { type AskedLake, startOrJoin } from "../start-or-join.js";
import { readRoster } from "../sync/roster-file.js";
import { startSync } from "../sync/start.js";
import type { ScheduledJob, ScheduledSync, ScheduledUpkeep } from "./scheduled-job.js";

interface StartPlace {
  readonly client: Client;
  readonly scope: string;
  readonly taskQueue: string;
  readonly lake: AskedLake;
  readonly store: ObjectStore;
  readonly sealed: SealedStore;
  readonly api: ApiClient;
  readonly asker: Asker;
}

interface Scheduling<Job> {
  /** Reads and judges the files as they are now, and starts nothing. @throws InputError */
  check(job: Job): Promise<unknown>;
  start(place: StartPlace & { readonly run: FiredRun }, job: Job): Promise<StartedRun>;
}

const BULK: Scheduling<BulkRequest> = {
  check: async (job) => judgeFile((await openJob(job)).job, job),
  async start({ client, api, ...place }, job) {
    const opened = await openJob(job);
    const checked = await checkedRows(opened.job, await judgeFile(opened.job, job), api);
    const judged = refuseInvalid(opened.job, job.file, checked, job.continueInvalid);
    return startBulk(client, { ...place, restart: false, ...opened, judged, retryOf: null });
  },
};

const SCHEDULINGS: {
  readonly sync: Scheduling<ScheduledSync>;
  readonly onboard: Scheduling<BatchRequest>;
  readonly maintain: Scheduling<ScheduledUpkeep>;
} = {
  sync: {
    check: ({ roster }) => readRoster(roster),
    async start({ client, store, ...place }, { roster, options }) {
      return startSync(client, store, { ...place, options, roster: await readRoster(roster) });
    },
  },
  onboard: {
    check: (job) => judgeBatch(job, ""),
    async start({ client, store, ...place }, job) {
      const { facts, freezable } = await judgeBatch(job, (await readBinding(store))?.id ?? "");
      await new FrozenBatches(place.sealed).freeze(facts, freezable());
      const { limit = null } = job.options;
      const options = batchOptions(job.inputs, facts.mode, { limit, retry: false });
      return startOnboarding(client, { ...place, facts, options });
    },
  },
  maintain: {
    check: async () => undefined,
    start: ({ client, ...place }, { options: { retainDays } }) =>
      startOrJoin(client, {
        ...place,
        workflow: "maintain",
        workflowId: `maintain/${place.scope}`,
        kind: "maintain",
        prepare: async () => ({ input: { retainDays } }),
      }),
  },
};

/**
 * Reads the files of a scheduled job as they are now, and starts a run of it or joins the run in progress. A repetition
 * for the same firing starts no second run.
 *
 * @throws InputError where a file is missing or wrong.
 */
export function startScheduled(place: StartPlace, job: ScheduledJob, run: FiredRun): Promise<StartedRun> {
  return schedulingOf(job).start({ ...place, run }, job);
}

/** Reads and judges the files of a scheduled job; starts nothing. @throws InputError */
export async function checkScheduled(job: ScheduledJob): Promise<void> {
  await schedulingOf(job).check(job);
}

function schedulingOf({ kind }: ScheduledJob): Scheduling<ScheduledJob> {
  const own = Object.hasOwn(SCHEDULINGS, kind) ? SCHEDULINGS[kind as keyof typeof SCHEDULINGS] : BULK;
  return own as Scheduling<ScheduledJob>;
}
