import type { SyncProgress } from "../../workflows/sync/messages.js";
import type { ProgressForm } from "../session/progress-view.js";

/** How a sync shows how far it is. */
export const SYNC_PROGRESS: ProgressForm<SyncProgress> = {
  bar: "{phase} {bar} {users} users · {links} links · {rows} rows",
  figures({ totals, groups, usersDone, usersTotal, phase }) {
    const { created, updated, removed } = totals.rows;
    const rows = groups.reduce((sum, { rowsRead }) => sum + rowsRead, created + updated + removed);
    const ended = Object.values(totals.links).reduce((sum, count) => sum + count, 0);
    const links = groups.reduce((sum, { linksDone }) => sum + linksDone, ended);
    return { users: `${usersDone}/${usersTotal}`, done: usersDone, total: usersTotal, rows, links, phase };
  },
  line: ({ phase, users, links, rows }) => `${phase}: ${users} users, ${links} links, ${rows} rows`,
};
