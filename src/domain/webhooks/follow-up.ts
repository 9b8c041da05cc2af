import type { SyncOptions } from "../sync/job.js";

/** That a user's bank link has changed, and which, where the event said it. */
export interface FollowUp {
  readonly fpId: string;
  readonly bankLinkId: string | null;
}

/** One run for many follow-ups. */
interface FollowUpJob {
  readonly users: readonly string[];
  readonly options: SyncOptions;
}

/**
 * The one run that follows all of these up: their users, each once, and of each only the links that were named;
 * every link of each user where one of the events named none.
 */
export function followUpJob(followUps: readonly FollowUp[], streams: readonly string[]): FollowUpJob {
  const links = followUps.map(({ bankLinkId }) => bankLinkId);
  const named = links.filter((link) => link !== null);
  return {
    users: [...new Set(followUps.map(({ fpId }) => fpId))].sort(),
    options: {
      streams,
      links: named.length === links.length ? [...new Set(named)].sort() : null,
      full: false,
      pageSize: 500,
    },
  };
}
