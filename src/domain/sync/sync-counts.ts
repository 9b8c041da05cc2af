import type { SyncTotals } from "./sync-totals.js";

/** What a run tells of how far it is. */
interface ToldProgress {
  readonly usersTotal: number;
  readonly usersDone: number;
  /** Of groups that ended. */
  readonly totals: SyncTotals;
  readonly linksAgain: number;
  readonly groups: readonly {
    readonly users: number;
    readonly linksTotal: number;
    readonly linksDone: number;
    readonly rowsRead: number;
  }[];
}

/** How far a sync is, in links and rows. */
interface SyncCounts {
  readonly linksDone: number;
  /** Links found so far. */
  readonly linksFound: number;
  /** Links that there will be in the end, where users not looked at yet have as many as the others. */
  readonly linksExpected: number;
  readonly rows: number;
}

/** Counts what a run tells: finished links of all that were found. Pure. */
export function syncCounts({ usersTotal, usersDone, totals, linksAgain, groups }: ToldProgress): SyncCounts {
  const { created, updated, removed } = totals.rows;
  const ended = Object.values(totals.links).reduce((sum, count) => sum + count, 0);
  const looked = groups.filter(({ linksTotal }) => linksTotal > 0);
  const linksDone = groups.reduce((sum, group) => sum + group.linksDone, ended);
  const linksFound = groups.reduce((sum, group) => sum + group.linksTotal, ended + linksAgain);
  const users = looked.reduce((sum, group) => sum + group.users, usersDone);
  return {
    linksDone,
    linksFound,
    linksExpected: users === 0 ? linksFound : Math.round((linksFound * Math.max(usersTotal, users)) / users),
    rows: groups.reduce((sum, group) => sum + group.rowsRead, created + updated + removed),
  };
}
