import { ANOTHER_SUBJECT } from "../failures.js";

/** Who has to act before a link can be read, or its bank gives news of it. */
type Turn = "customer" | "app" | "bank" | "service" | "operator" | "nobody";

interface Remedy {
  readonly turn: Turn;
  readonly action: string;
}

const RECONNECT: Remedy = { turn: "customer", action: "ask the customer to reconnect the bank" };
const CHECK: Remedy = { turn: "operator", action: "check the link in the dashboard" };

const REMEDY_BY_ERROR: Readonly<Record<string, Remedy>> = {
  auth_expired: RECONNECT,
  invalid_credentials: RECONNECT,
  user_oauth_denied: { turn: "customer", action: "ask the customer to grant access again" },
  user_setup_required: { turn: "customer", action: "ask the customer to finish the set-up at the bank" },
  user_input_incorrect: RECONNECT,
  user_error: RECONNECT,
  incomplete: { turn: "customer", action: "ask the customer to finish linking" },
  no_accounts: { turn: "customer", action: "ask the customer to link a bank with an account" },
  institution_error: { turn: "bank", action: "wait: the bank has a fault; the next run tries again" },
  provider_error: {
    turn: "service",
    action: "wait: the data provider has a fault; the next run tries again",
  },
  system_error: { turn: "service", action: "wait: the service has a fault; the next run tries again" },
};

const REMEDY_BY_STATE: Readonly<Record<string, Remedy>> = {
  connecting: { turn: "bank", action: "wait: the next run tries again" },
  awaiting_token_exchange: {
    turn: "app",
    action: "have your app finish linking: the link waits for it to exchange its token",
  },
  deleted: { turn: "nobody", action: "nothing: the customer removed the link" },
};

/** Whether rows of a link in this state are asked for: one in `error` may keep those of the past readable. */
export function isReadState(state: string): boolean {
  return state === "connected" || state === "error";
}

/** Says why a link in this state is skipped, or refused; null for a `connected` one. */
export function linkObstacle(state: string, errorCode: string | null): string | null {
  if (state === "connected") return null;
  return state === "error" && errorCode !== null ? `state error ${errorCode}` : `state ${state}`;
}

/** Says what to do about a link that was skipped; undefined for other reasons. */
export function skippedAction(reason: string): string | undefined {
  return remedyFor(reason)?.action;
}

export function turnOf(reason: string): Turn {
  if (reason === "link_gone" || reason === "superseded") return "nobody";
  return (remedyFor(reason) ?? CHECK).turn;
}

function remedyFor(reason: string): Remedy | undefined {
  const [, state, code = null] = /^state (\S+)(?: (.*))?$/s.exec(reason) ?? [];
  return state === undefined ? undefined : remedyOf(state, code);
}

function remedyOf(state: string, errorCode: string | null): Remedy {
  const [remedies, name] = state === "error" ? [REMEDY_BY_ERROR, errorCode ?? ""] : [REMEDY_BY_STATE, state];
  return (Object.hasOwn(remedies, name) ? remedies[name] : undefined) ?? CHECK;
}

const OTHERS = "find out what mixes up answers, a proxy or a cache, then run what failed again";
const NEXT_RUN = "nothing: the next run tries again";

/** The first pattern that matches counts. */
const ACTIONS: readonly (readonly [RegExp, string])[] = [
  [/user not found/, "check the roster: the service does not know this user"],
  [new RegExp(ANOTHER_SUBJECT), OTHERS],
  [/gave_up \S+ until/, "run what failed again after that time, before which the service takes no such call"],
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
  [
    /^every_row_bad/,
    "see nightledger quarantine list, and report to the service what its rows break; the next run reads them again",
  ],
  [/^\w+: refused http_/, "report it to the service: it refuses this list"],
  [/refused http_40[13]/, "ask the service why it refuses this link to a key that is good elsewhere"],
  [/refused http_/, "report it to the service: it refuses this link with every page size"],
  [
    /staged_page/,
    "check the disk, and what else deletes files in the lake; the next run reads the link again",
  ],
  [/id_twice/, "report it to the service: two rows of this list have one id"],
  [/list_moved/, "run it again in a quiet hour"],
  [
    /schema /,
    "check NIGHTLEDGER_API_URL; if it is right, the service has changed its answers: report it to the service",
  ],
  [/StagingLostError/, "find out what deletes the staging area, then run the same sync again"],
];

/** Says what to do about a failed link or user (docs/run/errors.md, "Reasons of a link"). */
export function failureAction(reason: string): string {
  return ACTIONS.find(([pattern]) => pattern.test(reason))?.[1] ?? "see docs/run/errors.md";
}

/** Says what to do about a link or user that ended so; null for nothing. */
export function actionFor(status: string, reason: string): string | null {
  if (status === "still_reading") return "nothing: the next run goes on where this one stopped";
  return status === "failed" ? failureAction(reason) : (skippedAction(reason) ?? null);
}

export interface SkippedLinks {
  readonly by_reason: Readonly<Record<string, number>>;
}

/** A reason may end with any state that the service sends. */
const LONGEST = 60;

export function skippedLinks(reason?: string): SkippedLinks {
  return { by_reason: reason === undefined ? {} : { [reason.slice(0, LONGEST)]: 1 } };
}

const TURNS: readonly (readonly [Turn, (count: number) => string])[] = [
  ["customer", (count) => `${count} need${count === 1 ? "s" : ""} the customer`],
  ["app", (count) => `${count} wait${count === 1 ? "s" : ""} for your app to finish linking`],
  ["operator", (count) => `${count} need${count === 1 ? "s" : ""} a check in the dashboard`],
  ["bank", (count) => `${count} wait${count === 1 ? "s" : ""} for the bank`],
  ["service", (count) => `${count} wait${count === 1 ? "s" : ""} for the service`],
];

const NOBODYS: Readonly<Record<string, string>> = {
  "state deleted": "deleted",
  link_gone: "gone since the user's links were listed",
  superseded: "committed by another reading",
};

/** The others are in `--json` and in `link_syncs`. */
const MOST_NAMED = 3;

/** Says whose turn it is: `9 need the customer (auth_expired 4, …)`. Pure. */
export function turnsInWords({ by_reason }: SkippedLinks): string[] {
  const reasons = Object.entries(by_reason).sort(([x, a], [y, b]) => b - a || (x < y ? -1 : 1));
  const waiting = TURNS.flatMap(([turn, words]) => {
    const its = reasons.filter(([reason]) => turnOf(reason) === turn);
    if (its.length === 0) return [];
    const named = its.slice(0, MOST_NAMED).map(([reason, count]) => `${shortOf(reason)} ${count}`);
    const more = its.length > MOST_NAMED ? ["…"] : [];
    return [`${words(its.reduce((sum, [, count]) => sum + count, 0))} (${[...named, ...more].join(", ")})`];
  });
  const over = reasons
    .filter(([reason]) => turnOf(reason) === "nobody")
    .map(([reason, count]) => `${count} ${NOBODYS[reason] ?? reason}`);
  return [...waiting, ...over];
}

/** `auth_expired` of `state error auth_expired`, `connecting` of `state connecting`. */
function shortOf(reason: string): string {
  return reason.replace(/^state (?:error (?=.))?/s, "");
}
