import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { InputError, NotThereError } from "../../domain/failures.js";
import { batchWorkflowId } from "../../domain/onboarding/identity.js";
import { BATCH_SIGNALS } from "../../domain/onboarding/messages.js";
import { NOBODY } from "../../domain/service/external-id.js";
import { type BatchTerms, batchOptions } from "../../intake/onboarding/start.js";
import { openedContinuations } from "../../lake/onboarding/continuation-file.js";
import { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import { createSealer } from "../../temporal/encryption/cipher.js";
import { tellFollow } from "../../temporal/onboarding/open-rows.js";
import { joinRun, type StartedRun } from "../../temporal/running-workflows.js";
import type { JobSession } from "../session/job-session.js";
import { type Preflight, placeOf, readLakeView } from "../session/preflight.js";
import { followFound } from "../shell/found-run.js";
import { type JobFlags, runJob } from "../shell/shell.js";
import type { Terminal } from "../terminal/terminal.js";
import { batchJob, giveUpBatch, ONBOARD, rowsReached, startBatch } from "./batch-run.js";

/** Failed rows become a new attempt. @throws InputError */
export async function retryBatch(
  terminal: Terminal,
  batchId: string,
  flags: JobFlags & BatchTerms,
): Promise<number> {
  checkBatchId(batchId);
  return runJob(terminal, flags, {
    async plan(preflight) {
      const { store, scope } = preflight;
      const job = batchJob(terminal, flags, async (session) => {
        const { temporal, sealed } = session;
        const batches = new FrozenBatches(sealed);
        const facts = await batches.manifest(batchId);
        const limit = await rowsReached(store, batches, batchId);
        if (facts === undefined || limit === 0) throw notThere(batchId, preflight);
        if ((await joinRun(temporal.client, batchWorkflowId(scope, batchId))) !== undefined) {
          throw new InputError(
            `batch ${batchId} is still running. Nothing was started. Retry its failed rows once it has ended.`,
          );
        }
        return startBatch(session, facts, batchOptions(flags, facts.mode, { limit, retry: true }));
      });
      // A running retry can't be retried.
      return { ...job, pingedUser: NOBODY, again: `nightledger runs resume ${batchId}` };
    },
  });
}

/** Ends a batch that can't be cancelled. @throws InputError where it is not running */
export async function steerBatch(
  terminal: Terminal,
  how: "pause" | "resume" | "cancel",
  batchId: string,
  json: boolean,
): Promise<number> {
  checkBatchId(batchId);
  const notRunning = new InputError(
    `batch ${batchId} is not running, so there is nothing to ${how}. Nothing was changed. Find batch ids in the table onboardings.`,
  );
  const steer = async ({ temporal: { client }, preflight: { scope } }: JobSession) => {
    const running = await joinRun(client, batchWorkflowId(scope, batchId));
    await running?.handle.signal(BATCH_SIGNALS[how], null);
    return running;
  };
  const giveUp = (session: JobSession, running: StartedRun) => {
    const { temporal, preflight } = session;
    return giveUpBatch(session, running, () =>
      tellFollow(temporal.client, placeOf(preflight), "stop", batchId),
    );
  };
  const job = { kind: ONBOARD, ...(how === "cancel" && { whileWatched: giveUp }) };
  return followFound(terminal, json, notRunning, steer, job);
}

export async function printLinks(terminal: Terminal, path: string): Promise<void> {
  const { keys, config } = await readLakeView(terminal);
  const text = await readFile(resolve(terminal.cwd, path), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new InputError(`${path} can't be read (${error.code}). Give the file that --continuations wrote.`);
  });
  if (keys === undefined) {
    throw new InputError(`NIGHTLEDGER_ENCRYPTION_KEYS: not set, and ${config.home.path} holds no keys yet.`);
  }
  const { deliveries, torn } = openedContinuations(text, createSealer(keys));
  for (const delivery of deliveries) terminal.result(JSON.stringify(delivery));
  if (torn.length > 0) {
    terminal.say(
      `${torn.length} of the lines of ${path} were cut short, by a crash or a full disk, and are skipped (the first: line ${torn[0]}). Such a link is in a later line too, or its row says \`resend from the dashboard\`.`,
    );
  }
}

/** @throws NotThereError */
export function checkBatchId(batchId: string): void {
  if (/^onb_[0-9a-f]{24}$/.test(batchId)) return;
  throw new NotThereError(
    `${JSON.stringify(batchId)} is not the id of a batch or a run (expected onb_ followed by 24 hex digits, or a run id such as cip-20261122T021500Z-3f9c2a)`,
  );
}

function notThere(batchId: string, { config }: Preflight): InputError {
  return new InputError(
    `batch ${batchId} has no outcome in the lake ${config.lake.address}. Nothing was started. Find batch ids in the table onboardings.`,
  );
}
