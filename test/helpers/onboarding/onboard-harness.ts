import { hash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ServiceError } from "@temporalio/client";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import type { OpenCustomer } from "../../../src/domain/onboarding/customer/open-customer.js";
import type { OnboardingMode } from "../../../src/domain/onboarding/customer.js";
import { customerKey, shardOf } from "../../../src/domain/onboarding/follow/shard.js";
import { identityHash } from "../../../src/domain/onboarding/identity.js";
import type { BatchProgress, CustomerEvent } from "../../../src/domain/onboarding/messages.js";
import { DEFAULT_TIMING, type OnboardingTiming } from "../../../src/domain/onboarding/timing.js";
import { taskQueue } from "../../../src/domain/run.js";
import { readCustomers } from "../../../src/intake/onboarding/customers-file.js";
import { type OnboardingOptions, startOnboarding } from "../../../src/intake/onboarding/start.js";
import { FrozenBatches } from "../../../src/lake/onboarding/frozen-batch.js";
import { OpenCustomers } from "../../../src/lake/onboarding/open-customers.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { tellFollow } from "../../../src/temporal/onboarding/open-rows.js";
import type { StartedRun } from "../../../src/temporal/running-workflows.js";
import { queryProgress } from "../../../src/temporal/running-workflows.js";
import { onceAVersion } from "../lake/once-a-version.js";
import { openSyncWorld, type Row, type WorldOptions } from "../sync/sync-harness.js";
import { TEST_KEYS, type TestTemporal } from "../temporal/temporal-environment.js";

type GivenCustomer = Readonly<Record<string, unknown>>;

/** What a test chooses of a batch; the playbook is `pb_kyc`, the mode asynchronous. */
interface BatchChoice extends Partial<Omit<OnboardingOptions, "timing">> {
  readonly playbook?: string;
  readonly mode?: OnboardingMode;
  readonly timing?: Partial<OnboardingTiming>;
}

interface StartedBatch extends StartedRun {
  readonly batchId: string;
}

/** Waits of a test: short, but long enough that what must not be waited for would be noticed. */
const QUICK: OnboardingTiming = {
  ...DEFAULT_TIMING,
  pollFirst: 300,
  pollMost: 1_000,
  pollPeopleMost: 1_000,
  outputRetry: null,
};

const LOOK_EVERY_MS = 100;
const sha256 = (text: string) => hash("sha256", text);

export type OnboardWorld = Awaited<ReturnType<typeof openOnboardWorld>>;

/** A stand-in, a lake and a worker of one test, with customers to onboard. */
export async function openOnboardWorld(temporal: TestTemporal, options: WorldOptions = {}) {
  const world = await openSyncWorld(temporal, { direct: true, ...options });
  const sealed = new SealedStore(world.store, createSealer(TEST_KEYS));
  const open = new OpenCustomers(sealed);
  /** Freezes a file of these customers and starts its batch, or joins it. */
  const begin = async (
    customers: readonly GivenCustomer[],
    choice: BatchChoice = {},
  ): Promise<StartedBatch> => {
    const { playbook = "pb_kyc", mode = "async", timing, ...options } = choice;
    const path = join(world.lake, "..", `customers-${customers.length}.jsonl`);
    await writeFile(path, customers.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const file = await readCustomers(path, { playbook, mode, service: "" });
    await new FrozenBatches(sealed).freeze(file.facts, file.freezable());
    const started = await startOnboarding(world.client, {
      scope: world.scope,
      taskQueue: taskQueue(world.scope),
      sealed,
      facts: file.facts,
      options: {
        limit: null,
        syncTimeoutSecs: mode === "sync" ? 30 : null,
        window: 50,
        circuit: 20,
        plainOutput: true,
        linksFile: null,
        retry: false,
        timing: { ...QUICK, ...timing },
        ...options,
      },
    });
    return { ...started, batchId: file.facts.batchId };
  };
  const progress = ({ handle }: StartedBatch) => queryProgress<BatchProgress>(world.client, handle);
  return {
    ...world,
    sealed,
    /** Makes users `fp_1` … `fp_<n>` at the stand-in; their rows. */
    users(count: number, fields: (n: number) => GivenCustomer = () => ({})): GivenCustomer[] {
      return Array.from({ length: count }, (_, at) => {
        world.sandbox.addUser({ fp_id: `fp_${at + 1}` });
        return { fp_id: `fp_${at + 1}`, ...fields(at + 1) };
      });
    },
    begin,
    async onboard(customers: readonly GivenCustomer[], choice?: BatchChoice) {
      const started = await begin(customers, choice);
      const summary = (await started.handle.result()) as OnboardSummary;
      return { ...started, summary };
    },
    progress,
    async until(batch: StartedBatch, fits: (progress: BatchProgress) => boolean) {
      for (;;) {
        const seen = await progress(batch).catch(noWorker);
        if (seen !== undefined && fits(seen)) return seen;
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
    /** Tells a customer's open row of a webhook, as the receiver does; whether one was there. */
    async tell(fpId: string, event: Partial<CustomerEvent>) {
      const subject = { fpId, externalId: null, playbookKey: "pb_kyc" };
      const keys = await open.keysOf(subject);
      const told: CustomerEvent = {
        messageId: `msg_${event.kind}_${fpId}`,
        kind: "service.onboarding.completed",
        onboardingId: world.sandbox.onboardings.of(fpId).at(-1)?.id ?? null,
        status: null,
        review: null,
        playbookVersion: null,
        at: Date.now(),
        ...event,
      };
      const place = { scope: world.scope, taskQueue: taskQueue(world.scope) };
      for (const key of keys) await tellFollow(world.client, place, "news", [{ key, event: told }]);
      return keys.length > 0;
    },
    /** Waits until the open row of a customer is so; it has none once it is finished. */
    async untilOpen(fpId: string, fits: (row: OpenCustomer | undefined) => boolean) {
      const key = customerKey("pb_kyc", identityHash(sha256, `fp_id:${fpId}`));
      while (!fits(await open.read(async (rows) => (await open.shard(rows, shardOf(key)))[key]))) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
    /** Latest outcomes by line. */
    outcomes: ({ batchId }: Pick<StartedBatch, "batchId">) =>
      world.rows(
        `select * from onboardings where batch_id = '${batchId}'
         qualify row_number() over (partition by line order by attempt desc, version desc) = 1 order by line`,
      ),
    async untilRows(sql: string, count: number) {
      // Before its first commit a table is not there to be asked.
      const read = onceAVersion(
        () => world.lake,
        (asked) => world.rows(asked).catch(noTable),
      );
      for (;;) {
        const rows = await read(sql);
        if (rows.length >= count) return rows;
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
  };
}

/** While a worker stops or starts, nobody may be there to answer. */
function noWorker(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}

function noTable(error: unknown): Row[] {
  if (error instanceof Error && error.message.includes("does not exist")) return [];
  throw error;
}
