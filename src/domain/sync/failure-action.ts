import { ANOTHER_SUBJECT } from "../failures.js";

const OTHERS = "find out what mixes up answers, a proxy or a cache, then run what failed again";
const NEXT_RUN = "nothing: the next run tries again";

/** What to do about a failed link or user, by its reason; the first pattern that matches counts. */
const ACTIONS: readonly (readonly [RegExp, string])[] = [
  [/user not found/, "check the roster: the service does not know this user"],
  [new RegExp(ANOTHER_SUBJECT), OTHERS],
  [/gave_up/, "check the service, then run what failed again; the next run tries it in any case"],
  [/^cursor_loop/, "report it to the service: its cursors loop"],
  [
    /^resync_would_remove/,
    "find out why so many transactions are gone; if that is right, run sync --full --links <id>",
  ],
  [
    /list_would_remove/,
    "find out why the list is so much shorter; if that is right, run sync --full --streams <the list>",
  ],
  [/^no_links_read/, "check that the users still have links at the service; if so, run the same sync again"],
  [/^resync_without_cursor/, NEXT_RUN],
  [/^update_refused/, "run it again in a quiet hour; if it fails again, report it to the service"],
  [/refused http_/, "report it to the service: it refuses this link with every page size"],
  [
    /staged_page/,
    "check the disk, and what else deletes files in the lake; the next run reads the link again",
  ],
  [/list_moved/, "run it again in a quiet hour"],
  [
    /schema /,
    "check NIGHTLEDGER_API_URL; if it is right, the service has changed its answers: report it to the service",
  ],
  [/StagingLostError/, "find out what deletes the staging area, then run the same sync again"],
];

/** What to do about a failed link or user (docs/run/errors.md, "Reasons of a link"). */
export function failureAction(reason: string): string {
  return ACTIONS.find(([pattern]) => pattern.test(reason))?.[1] ?? "see docs/run/errors.md";
}
