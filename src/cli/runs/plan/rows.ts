import { InputError } from "../../../domain/failures.js";
import type { LakePlace } from "../../../domain/lake-address.js";
import { planRow } from "../../../domain/onboarding/batch/row-plan.js";
import {
  type CustomerRow,
  isRight,
  type OnboardingMode,
  type RightRow,
} from "../../../domain/onboarding/customer.js";
import { type Forecast, type PastRuns, rowsForecast } from "../../../domain/runs/forecast.js";
import { openJob } from "../../../intake/bulk/asked-job.js";
import { judgeFile } from "../../../intake/bulk/input-rows.js";
import {
  type CustomersFile,
  invalidRowsError,
  readCustomers,
} from "../../../intake/onboarding/customers-file.js";
import type { ScheduledJob } from "../../../intake/schedules/scheduled-job.js";
import { type AnyJob, type JobRow, planOf } from "../../../jobs/job.js";
import { lakeAt } from "../../../lake/lake.js";
import { earlierOutcomes } from "../../../lake/onboarding/earlier-outcomes.js";
import { inParts } from "../../../lake/parts.js";
import { readBinding } from "../../../lake/service-binding.js";
import { temporaryScratch } from "../../../lake/sql/scratch.js";
import { createSealer } from "../../../temporal/encryption/cipher.js";
import type { LakeView } from "../../session/preflight.js";

type ByRows = Extract<ScheduledJob, { readonly kind: "bulk" | "onboard" }>;

interface Seen extends LakeView {
  readonly past: PastRuns;
}

/** Plans a job by the rows of its file. @throws InputError where the file is wrong, or the lake's keys are missing */
export async function planRows(job: ByRows, seen: Seen): Promise<PlannedJob> {
  if (job.kind === "onboard") return planBatch(job, seen);
  const opened = await openJob(job);
  const judged = await judgeFile(opened.job, job);
  const { done, ...work } = await plannedItems(opened.job, judged.rows(), opened.options, seen);
  const { total: rows, invalid } = judged;
  return { forecast: rowsForecast(work, seen.past), rows, invalid, done, skipped: [] };
}

/** Plans a batch: rows that have an outcome, in any batch, or are beyond its limit, cost nothing. */
async function planBatch(
  job: Extract<ByRows, { readonly kind: "onboard" }>,
  { store, past, config }: Seen,
): Promise<PlannedJob> {
  const { customers, playbook, mode, continueInvalid, options } = job;
  const file = await readCustomers(customers, {
    playbook,
    mode,
    service: (await readBinding(store))?.id ?? "",
  });
  if (file.problems.length > 0 && !continueInvalid) throw invalidRowsError(customers, file);
  const { total, invalid } = file.counts;
  const rows = Math.min(total, options.limit ?? total);
  const { done, ...work } = await plannedCustomers(file, { limit: rows, mode, place: config.lake });
  return { forecast: rowsForecast({ ...work, items: work.rows }, past), rows, invalid, done, skipped: [] };
}

const CUSTOMERS_AT_ONCE = 2_000;

/** Plans the right rows among the first of a file, as their batch would. */
async function plannedCustomers(
  { facts, freezable }: CustomersFile,
  {
    limit,
    mode,
    place,
  }: { readonly limit: number; readonly mode: OnboardingMode; readonly place: LakePlace },
): Promise<{ readonly done: number; readonly rows: number; readonly requests: number }> {
  const lake = lakeAt(place, { scratchDirectory: await temporaryScratch() });
  const sums = { done: 0, rows: 0, requests: 0 };
  async function* right() {
    for await (const { row } of freezable()) {
      if (row.row >= limit) return;
      if (isRight(row)) yield row;
    }
  }
  const take = async (group: readonly RightRow[]) => {
    const lines = { from: group[0]?.line ?? 0, to: group.at(-1)?.line ?? -1 };
    const keys = group.map(({ rowKey }) => rowKey);
    const { own, others } = await earlierOutcomes(lake, facts.batchId, lines, keys);
    for (const { line, rowKey, customer } of group) {
      const outcomes = { own: own.get(line), other: others.get(rowKey) };
      const isOpen = planRow(outcomes, { runId: null, retry: false, cancel: false }).kind === "run";
      sums[isOpen ? "rows" : "done"] += 1;
      if (isOpen) sums.requests += requestsOf(customer, mode);
    }
  };
  try {
    for await (const group of groupsOf(right(), CUSTOMERS_AT_ONCE)) await take(group);
  } finally {
    await lake.close();
  }
  return sums;
}

/** The request for the one with which a vault is written. */
const CLIENT_TOKEN = 1;

/** Requests of a customer who passes at once: what is given of them, the onboarding, and a poll that learns of its end. */
function requestsOf({ create, vault, documents }: CustomerRow, mode: OnboardingMode): number {
  const uploads = Object.keys(documents).length;
  const writes = uploads + (Object.keys(vault).length > 0 ? 1 : 0);
  const prepared = create ? 1 : writes === 0 ? 0 : CLIENT_TOKEN + writes;
  return prepared + (mode === "sync" ? 1 : 2);
}

/** Asks the job for its plan, group by group, as a run would; plans only read. */
async function plannedItems(
  job: AnyJob,
  rows: AsyncIterable<{ readonly line: number; readonly row: object | null }>,
  options: object,
  { config, keys }: Seen,
): Promise<Parameters<typeof rowsForecast>[0] & { readonly done: number }> {
  if (keys === undefined)
    throw new InputError(
      "NIGHTLEDGER_ENCRYPTION_KEYS: not set, and NIGHTLEDGER_HOME holds no keys yet: no job has run here. Nothing was started.",
    );
  const sealer = createSealer(keys);
  const lake = lakeAt(config.lake, { sealer, scratchDirectory: await temporaryScratch() });
  const sums = { requests: 0, items: 0, rows: 0, done: 0 };
  async function* right() {
    for await (const { line, row } of rows) if (row !== null) yield { line, row };
  }
  const take = async (group: readonly JobRow<object>[]) => {
    const plan = await planOf(job, { runId: "plan", lake, sealer, options }, group);
    for (const { rows, given } of plan.work) {
      sums.requests += job.requests?.(rows, given) ?? 1;
      sums.items += 1;
      sums.rows += rows.length;
    }
    sums.done += plan.ended.reduce((sum, ended) => sum + ended.rows.length, 0);
  };
  try {
    for await (const group of groupsOf(right(), job.groupRows)) await take(group);
  } finally {
    await lake.close();
  }
  return sums;
}

function groupsOf<Row>(rows: AsyncIterable<Row>, count: number): AsyncGenerator<Row[]> {
  return inParts(rows, { count, bytes: Number.POSITIVE_INFINITY }, () => 0);
}

/** What a job would do now: the forecast, and what it would leave out. */
export interface PlannedJob {
  readonly forecast: Forecast;
  /** Users, rows or customers of the file. */
  readonly rows: number;
  /** Rows that an earlier run has done, or that need no work. */
  readonly done: number;
  readonly invalid: number;
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
}
