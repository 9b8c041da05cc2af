import type { StartedRun } from "../../intake/start-or-join.js";
import { giveUpRun } from "../../temporal/give-up.js";
import type { JobSession } from "../session/job-session.js";

/**
 * How long a cancelled batch may make no progress. A customer's step has fifteen seconds to end, and in synchronous mode
 * the thirty of a decision too (docs/use/onboarding.md, "What stops a batch").
 */
const CANCEL_MS = 60_000;

/** Gives up a batch's run; its customers continue, unless `cleanUp` stops them. */
export function giveUpBatch(
  { temporal: { client }, signal }: JobSession,
  run: StartedRun,
  cleanUp: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  return giveUpRun(client, run, cleanUp, { cancelMs: CANCEL_MS, signal });
}
