import { resolve } from "node:path";
import { InputError } from "../../domain/failures.js";
import { DEFAULT_TIMING } from "../../domain/onboarding/timing.js";
import type { ContinuationSink } from "../../lake/onboarding/continuation-file.js";
import { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import type { EncryptionKeys } from "../../temporal/encryption/keys.js";
import { createSealer } from "../../temporal/encryption/sealer.js";
import { problemLines } from "../files/row-problems.js";
import { rowsWithOutcomes } from "../lake/query.js";
import {
  checkDetach,
  inspectSurroundings,
  type JobSurroundings,
  openJobTemporal,
  reachService,
  readJobConfig,
} from "../session/preflight.js";
import { EXIT } from "../terminal/exit-code.js";
import { interruption } from "../terminal/interruption.js";
import { Releases } from "../terminal/releases.js";
import type { Terminal } from "../terminal/terminal.js";
import { readCustomers } from "./customers-file.js";
import type { BatchFlags, OnboardFlags } from "./flags.js";
import { type OnboardingOptions, startOnboarding } from "./start.js";
import { invalidRowsError, validationSummary, validationText } from "./validation-report.js";
import { type BatchSession, type FollowedBatch, followBatch, reportBatch } from "./watch.js";

/**
 * Runs or joins a batch and waits for its end; the exit code. It checks in the order of
 * docs/commands.md, "Order of checks".
 */
export async function runOnboard(terminal: Terminal, flags: OnboardFlags): Promise<number> {
  const { customers: path, playbook, mode } = flags;
  checkFlags(flags);
  const configuration = flags.validateOnly ? undefined : readJobConfig(terminal);
  if (configuration !== undefined) checkDetach(flags, configuration.settings.mode);
  const file = await readCustomers(path, { playbook, mode });
  const wrong = file.problems.length > 0;
  if (configuration === undefined) {
    for (const line of flags.json ? [] : problemLines(file.problems)) terminal.say(line);
    terminal.result(flags.json ? JSON.stringify(validationSummary(file)) : validationText(file));
    return wrong ? EXIT.usage : EXIT.completed;
  }
  for (const warning of file.facts.warnings) terminal.say(`warning: ${warning}`);
  if (wrong && !flags.continueInvalid) throw invalidRowsError(path, file);
  for (const line of problemLines(file.problems)) terminal.say(line);
  const surroundings = await inspectSurroundings(terminal, configuration);
  await reachService(surroundings, file.firstFpId ?? undefined);
  const limit = await highWater(surroundings, file.facts.batchId, flags.limit);
  return withBatchTemporal(terminal, surroundings, flags, async (session) => {
    const { temporal, sealed } = session;
    await new FrozenBatches(sealed).freeze(file.facts, file.freezable());
    const started = await startOnboarding(temporal.client, {
      ...{ scope: surroundings.scope, taskQueue: surroundings.taskQueue, sealed, facts: file.facts },
      options: optionsOf(terminal, flags, mode === "sync", { limit, retry: false }),
    });
    return followBatch(terminal, surroundings, session, started, flags);
  });
}

/** How far into the file a batch may go: a limit below what it has reached takes nothing back. */
async function highWater(
  surroundings: JobSurroundings,
  batchId: string,
  limit: number | undefined,
): Promise<number | null> {
  if (limit === undefined) return null;
  return Math.max(limit, await rowsWithOutcomes(surroundings, batchId));
}

/** Opens Temporal, lets `work` follow a batch, closes everything, and says how it went; the exit code. */
export async function withBatchTemporal(
  terminal: Terminal,
  surroundings: JobSurroundings,
  flags: Pick<BatchFlags, "json">,
  work: (session: BatchSession) => Promise<FollowedBatch>,
): Promise<number> {
  const releases = new Releases();
  const { signal } = interruption(releases);
  let followed: FollowedBatch;
  try {
    const { temporal, keys } = await openJobTemporal(surroundings, terminal, releases, { signal });
    followed = await work({ temporal, sealed: sealedStore(surroundings, keys), signal });
  } finally {
    await releases.run();
  }
  return reportBatch(terminal, followed, flags.json === true);
}

function sealedStore({ store }: JobSurroundings, keys: EncryptionKeys): SealedStore {
  return new SealedStore(store, createSealer(keys));
}

/** How a batch is run, from a command's flags. */
export function optionsOf(
  terminal: Terminal,
  flags: BatchFlags,
  sync: boolean,
  more: Pick<OnboardingOptions, "limit" | "retry">,
): OnboardingOptions {
  const { window, circuit, deadline, syncTimeout, plainOutput } = flags;
  return {
    ...more,
    ...{ window, circuit, plainOutput: plainOutput === true, sink: sinkOf(terminal, flags) },
    syncTimeoutSecs: sync ? (syncTimeout ?? 30) : null,
    timing: { ...DEFAULT_TIMING, deadline },
  };
}

function sinkOf(terminal: Terminal, flags: BatchFlags): ContinuationSink | null {
  const { continuations, continuationCommand } = flags;
  if (continuations !== undefined) return { kind: "file", path: resolve(terminal.cwd, continuations) };
  return continuationCommand === undefined ? null : { kind: "command", command: continuationCommand };
}

function checkFlags(flags: OnboardFlags): void {
  checkSink(flags);
  if (flags.mode === "async" && flags.syncTimeout !== undefined) {
    throw new InputError("--sync-timeout: only in --mode sync. Nothing was started.");
  }
}

/** Refuses flags that exclude each other. @throws InputError */
export function checkSink({ continuations, continuationCommand }: BatchFlags): void {
  if (continuations === undefined || continuationCommand === undefined) return;
  throw new InputError(
    "--continuations and --continuation-command exclude each other: links go to one place. Nothing was started.",
  );
}
