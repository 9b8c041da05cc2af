import type { SyncOptions } from "../sync/job.js";

/** A user's bank link has changed; null where the event did not name the link. */
export interface FollowUp {
  readonly fpId: string;
  readonly bankLinkId: string | null;
}

/**
 * Plans the next run. A run reads either named links only, for the users whose events all named their links, or every
 * link, for the users with an event that named none. The oldest follow-up decides which, so that none waits for ever.
 */
export function followUpJob<F extends FollowUp>(followUps: readonly F[], streams: readonly string[]) {
  const whole = new Set(followUps.filter(({ bankLinkId }) => bankLinkId === null).map(({ fpId }) => fpId));
  const [oldest] = followUps;
  const isWhole = oldest !== undefined && whole.has(oldest.fpId);
  const taken = followUps.filter(({ fpId }) => whole.has(fpId) === isWhole);
  const links = taken.map(({ bankLinkId }) => bankLinkId).filter((link) => link !== null);
  const users = [...new Set(taken.map(({ fpId }) => fpId))].sort();
  const only = isWhole ? null : [...new Set(links)].sort();
  const options: SyncOptions = { streams, links: only, full: false, pageSize: 500 };
  return { taken, users, options };
}
