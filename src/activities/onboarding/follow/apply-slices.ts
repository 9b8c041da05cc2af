import { hash } from "node:crypto";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { StagingLostError } from "../../../domain/failures.js";
import { groupedBy } from "../../../domain/grouped-by.js";
import {
  afterStop,
  reopened,
  rowVerdict,
  UNPOSTED,
} from "../../../domain/onboarding/customer/customer-state.js";
import { type AddressedReport, dueAt } from "../../../domain/onboarding/customer/open-customer.js";
import {
  applySlice,
  factsOf,
  type Inbox,
  type RefusedRow,
  type Shard,
  type ShardFacts,
  type SteppedRow,
  shardOf,
  silentReport,
} from "../../../domain/onboarding/follow/shard.js";
import { AFTER_LOSS } from "../../../domain/onboarding/messages.js";
import {
  dropSlices,
  findSlice,
  keptSlice,
  OpenCustomers,
  SHARD_NUMBERS,
} from "../../../lake/onboarding/open-customers.js";
import { stageOutcome } from "../customer/row-in-work.js";
import type { OnboardingDependencies } from "../dependencies.js";
import { recordOutcomes } from "../record-outcomes.js";

const SHARDS_AT_ONCE = 16;

interface SlicesInput extends Inbox {
  /** Version of the shards that change; more than any before. */
  readonly version: number;
  readonly now: number;
  readonly slices: readonly string[];
  /** Slices that were applied before: nothing needs them any more. */
  readonly applied: readonly string[];
  /** In slices. */
  readonly busy: readonly string[];
  readonly due: readonly number[];
  /** How many rows may be worked on from now on. */
  readonly room: number;
  /** After some failures: other rows must go on. */
  readonly withoutLost?: boolean;
}

export interface DueRows {
  readonly batchId: string;
  /** Seconds that a decision may take in synchronous mode. */
  readonly decisionSecs: number;
  readonly keys: readonly string[];
}

type SlicesResult =
  /** A later version is there, or another one of this number: nothing was changed. */
  { readonly taken: number } | AppliedSlices;

interface AppliedSlices {
  readonly taken?: undefined;
  readonly due: readonly DueRows[];
  readonly reports: readonly AddressedReport[];
  readonly shards: Readonly<Record<number, ShardFacts>>;
  readonly lost?: readonly string[];
}

/**
 * Applies to the open rows what slices did and what came for them, writes their outcomes, and finds which rows
 * are due. It reads what does not change, so a repetition writes the same.
 */
export async function applySlices(deps: OnboardingDependencies, input: SlicesInput): Promise<SlicesResult> {
  const { sealed, log } = deps;
  const { version, room, now } = input;
  const lost = input.withoutLost ? new Set<string>() : undefined;
  const open = lost ? new OpenCustomers(sealed, lost) : deps.open;
  const id = hash("sha256", JSON.stringify(input)).slice(0, 16);
  const later = await open.takenBy(version, id);
  if (later !== undefined) return { taken: later };
  const slices = await Promise.all(input.slices.map((slice) => findSlice(sealed, slice, lost)));
  const stepped = slices.flatMap((slice) => slice ?? []);
  const numbers = input.stops.length > 0 || input.tryNow ? SHARD_NUMBERS : touched(input, stepped);
  const rows = await open.at(version);
  const shards = await mapConcurrent(SHARDS_AT_ONCE, numbers, (number) => open.shard(rows, number));
  const before: Shard = Object.assign({}, ...shards);
  const { open: after, reports, refused } = applySlice(before, { ...input, stepped });
  const cancelled = await mapConcurrent(SHARDS_AT_ONCE, refused, (row) => cancelRefused(deps, row));
  // First, so that whoever finds a row closed finds its outcome.
  await recordOutcomes(
    deps,
    [...stepped, ...cancelled].flatMap(({ records }) => records),
  );
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changes = [...keys].filter((key) => before[key] !== after[key]);
  const changed = Object.fromEntries(changes.map((key) => [key, after[key] ?? null]));
  const gone = [...(lost ?? [])];
  if (changes.length + gone.length > 0) await open.write({ version, id }, rows, changed);
  for (const object of gone) log.error({ object }, `an object of open rows is lost; ${AFTER_LOSS}`);
  for (const slice of input.applied) await keptSlice(sealed, slice).drop();
  const due = firstDue(after, now, new Set(input.busy), room);
  const taken = new Set([...input.busy, ...due.flatMap((some) => some.keys)]);
  const ofShard = groupedBy(Object.entries(after), ([key]) => shardOf(key));
  const facts = numbers.map((number) => {
    return [number, factsOf(Object.fromEntries(ofShard.get(number) ?? []), taken)];
  });
  const sent = [...reports, ...cancelled.map(({ report }) => report)];
  return {
    due,
    reports: sent,
    shards: Object.fromEntries(facts),
    ...(gone.length > 0 && { lost: gone }),
  };
}

/** One with an onboarding keeps its last status. */
async function cancelRefused(deps: OnboardingDependencies, { input, batchId }: RefusedRow) {
  const { open, batchWorkflowId, row, runId } = input;
  const recorded = open === null ? UNPOSTED : reopened(open);
  try {
    const { state, outcome } = await stageOutcome(deps, { input, recorded }, afterStop(recorded), {
      error_message: `this customer is in batch ${batchId}; run the same command again`,
    });
    const report = silentReport(input, rowVerdict(state));
    return { report, records: outcome === undefined ? [] : [{ run: input, outcome }] };
  } catch (error) {
    if (!(error instanceof StagingLostError)) throw error;
    const report = { kind: "lost", row, runId, message: error.message } as const;
    return { report: { batchWorkflowId, report }, records: [] };
  }
}

/** The highest version, and what each shard has. */
export async function findRows(
  { open: all, sealed }: OnboardingDependencies,
  { withoutLost = false }: Pick<SlicesInput, "withoutLost"> = {},
): Promise<{
  readonly version: number;
  readonly shards: Readonly<Record<number, ShardFacts>>;
}> {
  const open = withoutLost ? new OpenCustomers(sealed, new Set()) : all;
  await dropSlices(sealed);
  return open.read(async (rows) => {
    const facts = await mapConcurrent(SHARDS_AT_ONCE, SHARD_NUMBERS, async (number) => {
      return [number, factsOf(await open.shard(rows, number), new Set())] as const;
    });
    const shards = Object.fromEntries(facts.filter(([, { rows }]) => rows > 0));
    // Higher than any lost version: a worker that was thought dead may still write under one.
    return { version: Math.max(rows.version, Date.now()), shards };
  });
}

function touched({ rows, news, due }: SlicesInput, stepped: readonly SteppedRow[]): number[] {
  const keyed = [...rows, ...news, ...stepped.map(({ row }) => row)];
  return [...new Set([...keyed.map(({ key }) => shardOf(key)), ...due])].sort((a, b) => a - b);
}

function firstDue(open: Shard, now: number, busy: ReadonlySet<string>, room: number): DueRows[] {
  const rows = Object.entries(open)
    .map(([key, one]) => ({ key, one, at: dueAt(one) }))
    .filter(({ key, at }) => at <= now && !busy.has(key))
    .sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))
    .slice(0, room);
  const batches = [...groupedBy(rows, ({ one }) => one.input.batchId)];
  return batches.map(([batchId, due]) => ({
    batchId,
    decisionSecs: Math.max(...due.map(({ one }) => one.input.syncTimeoutSecs ?? 0)),
    keys: due.map(({ key }) => key),
  }));
}
