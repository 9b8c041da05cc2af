import type { Client } from "@temporalio/client";
import type { ApiClient } from "../../api/http/client.js";
import type { Asker } from "../../domain/bulk/bulk-job.js";
import type { FiredRun } from "../../domain/schedules/scheduled-run.js";
import { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import { readBinding } from "../../lake/service-binding.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { startCheck } from "../alerts/start-check.js";
import { openJob } from "../bulk/asked-job.js";
import { checkedRows, judgeFiles, refuseInvalid } from "../bulk/input-rows.js";
import { startBulk } from "../bulk/start.js";
import { type CustomersFile, invalidRowsError, readCustomers } from "../onboarding/customers-file.js";
import { startOnboarding } from "../onboarding/start.js";
import type { AskedLake, StartedRun } from "../start-or-join.js";
import { readRoster } from "../sync/roster-file.js";
import { startSync } from "../sync/start.js";
import type { ScheduledJob } from "./scheduled-job.js";

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

type Scheduled<K extends ScheduledJob["kind"]> = Extract<ScheduledJob, { readonly kind: K }>;

/**
 * Reads the files of a scheduled job as they are now, and starts a run of it or joins the run in progress. A repetition
 * for the same firing starts no second run.
 *
 * @throws InputError where a file is missing or wrong.
 */
export async function startScheduled(
  place: StartPlace,
  job: ScheduledJob,
  run: FiredRun,
): Promise<StartedRun> {
  const { client, store, scope, taskQueue, lake, sealed, api, asker } = place;
  const asked = { scope, taskQueue, lake, run };
  switch (job.kind) {
    case "sync": {
      const roster = await readRoster(job.roster);
      return startSync(client, store, { ...asked, options: job.options, roster });
    }
    case "bulk": {
      const opened = await openJob(job);
      const checked = await checkedRows(opened.job, await judgeFiles(opened.job, job), api);
      const judged = refuseInvalid(opened.job, job.file, checked, job.continueInvalid);
      return startBulk(client, { ...asked, ...opened, judged, retryOf: null, sealed, asker, restart: false });
    }
    case "onboard": {
      const { facts, freezable } = await runnableCustomers(job, (await readBinding(store))?.id ?? "");
      await new FrozenBatches(sealed).freeze(facts, freezable());
      return startOnboarding(client, { ...asked, sealed, facts, options: { ...job.options, sink: null } });
    }
    case "alerts":
      return startCheck(client, { ...asked, rules: job.options });
  }
}

/** Reads and judges the files of a scheduled job, and starts nothing. @throws InputError */
export async function checkScheduled(job: ScheduledJob): Promise<void> {
  if (job.kind === "sync") await readRoster(job.roster);
  const bulk = job.kind === "sync" ? job.next : job.kind === "bulk" ? job : undefined;
  if (bulk !== undefined) await judgeFiles((await openJob(bulk)).job, bulk);
  if (job.kind === "onboard") await runnableCustomers(job, "");
  // Only the worker knows the alert rules of its own file.
}

async function runnableCustomers(
  { customers, playbook, mode, continueInvalid }: Scheduled<"onboard">,
  service: string,
): Promise<CustomersFile> {
  const file = await readCustomers(customers, { playbook, mode, service });
  if (file.problems.length > 0 && !continueInvalid) throw invalidRowsError(customers, file);
  return file;
}
