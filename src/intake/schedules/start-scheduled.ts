import type { Client } from "@temporalio/client";
import type { ApiClient } from "../../api/http/client.js";
import type { Asker } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import type { FiredRun } from "../../domain/schedules/scheduled-run.js";
import { JOBS } from "../../jobs/index.js";
import type { AnyJob } from "../../jobs/job.js";
import { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import { readBinding } from "../../lake/service-binding.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { startCheck } from "../alerts/start-check.js";
import { judgeRows } from "../bulk/input-rows.js";
import { checkedRows, refuseWrongRows } from "../bulk/runnable-rows.js";
import { readSignKey } from "../bulk/sign-key.js";
import { startBulk } from "../bulk/start.js";
import { type CustomersFile, readCustomers } from "../onboarding/customers-file.js";
import { invalidRowsError } from "../onboarding/invalid-rows-error.js";
import { startOnboarding } from "../onboarding/start.js";
import type { StartedRun } from "../start-or-join.js";
import { readRoster } from "../sync/roster-file.js";
import { startSync } from "../sync/start.js";
import type { ScheduledJob } from "./scheduled-job.js";

/** What a scheduled run is started with. */
interface StartPlace {
  readonly client: Client;
  readonly scope: string;
  readonly taskQueue: string;
  readonly store: ObjectStore;
  readonly sealed: SealedStore;
  readonly api: ApiClient;
  readonly asker: Asker;
}

type Scheduled<K extends ScheduledJob["kind"]> = Extract<ScheduledJob, { readonly kind: K }>;

/**
 * Reads the files that a scheduled job is given, as they are now, and starts a run of it, or joins the one that is
 * going on. Repeated with the same run, it starts no second one.
 *
 * @throws InputError where a file is gone or wrong.
 */
export async function startScheduled(
  place: StartPlace,
  job: ScheduledJob,
  run: FiredRun,
): Promise<StartedRun> {
  const { client, store, scope, taskQueue } = place;
  switch (job.kind) {
    case "sync":
      return startSync(client, store, {
        ...{ scope, taskQueue, run, options: job.options },
        roster: await readRoster(job.roster),
      });
    case "bulk":
      return startScheduledBulk(place, job, run);
    case "onboard":
      return startScheduledBatch(place, job, run);
    case "alerts":
      return startCheck(client, { scope, taskQueue, rules: job.options, run });
  }
}

/** Reads and judges the files of a scheduled job, and starts nothing. @throws InputError */
export async function checkScheduled(job: ScheduledJob): Promise<void> {
  switch (job.kind) {
    case "sync":
      await readRoster(job.roster);
      return;
    case "bulk":
      refuseWrongRows(jobOf(job), job.file, await judgeRows(jobOf(job), job.file), job.continueInvalid);
      await secretsOf(job);
      return;
    case "onboard":
      await runnableCustomers(job, "");
      return;
    case "alerts":
    // The worker's own rules are known where the worker is.
  }
}

async function startScheduledBulk(
  { client, scope, taskQueue, sealed, api, asker }: StartPlace,
  scheduled: Scheduled<"bulk">,
  run: FiredRun,
): Promise<StartedRun> {
  const { file, continueInvalid, options } = scheduled;
  const job = jobOf(scheduled);
  const read = await judgeRows(job, file);
  refuseWrongRows(job, file, read, continueInvalid);
  const judged = await checkedRows(job, read, api);
  refuseWrongRows(job, file, judged, continueInvalid);
  const secrets = await secretsOf(scheduled);
  const asked = { job, judged, options, asker, secrets, retryOf: null, restart: false };
  return startBulk(client, { ...asked, scope, taskQueue, sealed, run });
}

async function startScheduledBatch(
  { client, scope, taskQueue, store, sealed }: StartPlace,
  scheduled: Scheduled<"onboard">,
  run: FiredRun,
): Promise<StartedRun> {
  const { facts, freezable } = await runnableCustomers(scheduled, (await readBinding(store))?.id ?? "");
  await new FrozenBatches(sealed).freeze(facts, freezable());
  const options = { ...scheduled.options, sink: null };
  return startOnboarding(client, { scope, taskQueue, sealed, facts, options, run });
}

async function runnableCustomers(
  { customers, playbook, mode, continueInvalid }: Scheduled<"onboard">,
  service: string,
): Promise<CustomersFile> {
  const file = await readCustomers(customers, { playbook, mode, service });
  if (file.problems.length > 0 && !continueInvalid) throw invalidRowsError(customers, file);
  return file;
}

function jobOf({ job }: Scheduled<"bulk">): AnyJob {
  const found = JOBS.find(({ kind }) => kind === job);
  if (found === undefined) throw new InputError(`this worker knows no bulk job "${job}"; update it`);
  return found;
}

async function secretsOf({ signKey }: Scheduled<"bulk">): Promise<Readonly<Record<string, string>>> {
  return signKey === null ? {} : readSignKey(signKey);
}
