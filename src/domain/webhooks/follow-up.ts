import type { SyncOptions } from "../sync/job.js";

/** That a user's bank link has changed, and which, where the event said it. */
export interface FollowUp {
  readonly fpId: string;
  readonly bankLinkId: string | null;
}

/** One run for many follow-ups. */
interface FollowUpJob<F extends FollowUp = FollowUp> {
  /** Those that it follows up; the others are a run's after it. */
  readonly taken: readonly F[];
  readonly users: readonly string[];
  readonly options: SyncOptions;
}

/**
 * The next run of these, the oldest first: the users whose events all named their links, each once, and of each only
 * the links that were named; or else the users of whom an event named no link, with every link of each. A run reads
 * either named links or all, and the oldest follow-up says which, so that none waits for ever.
 */
export function followUpJob<F extends FollowUp>(
  followUps: readonly F[],
  streams: readonly string[],
): FollowUpJob<F> {
  const whole = new Set(followUps.filter(({ bankLinkId }) => bankLinkId === null).map(({ fpId }) => fpId));
  const [oldest] = followUps;
  const isWhole = oldest !== undefined && whole.has(oldest.fpId);
  const taken = followUps.filter(({ fpId }) => whole.has(fpId) === isWhole);
  const links = taken.map(({ bankLinkId }) => bankLinkId).filter((link) => link !== null);
  return {
    taken,
    users: [...new Set(taken.map(({ fpId }) => fpId))].sort(),
    options: {
      streams,
      links: isWhole ? null : [...new Set(links)].sort(),
      full: false,
      pageSize: 500,
    },
  };
}
