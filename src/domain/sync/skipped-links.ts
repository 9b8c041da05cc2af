import { type Turn, turnOf } from "./link-obstacle.js";

export interface SkippedLinks {
  /** By their reason in `link_syncs`. */
  readonly by_reason: Readonly<Record<string, number>>;
}

/** Characters of a reason in a run's totals: it may end with any state that the service sends. */
const LONGEST = 60;

/** No link, or one that was skipped. */
export function skippedLinks(reason?: string): SkippedLinks {
  return { by_reason: reason === undefined ? {} : { [reason.slice(0, LONGEST)]: 1 } };
}

const TURNS: readonly (readonly [Turn, (count: number) => string])[] = [
  ["customer", (count) => `${count} need${count === 1 ? "s" : ""} the customer`],
  ["operator", (count) => `${count} need${count === 1 ? "s" : ""} a check in the dashboard`],
  ["bank", (count) => `${count} wait${count === 1 ? "s" : ""} for the bank`],
  ["service", (count) => `${count} wait${count === 1 ? "s" : ""} for the service`],
];

const NOBODYS: Readonly<Record<string, string>> = {
  "state deleted": "deleted",
  link_gone: "gone since the user's links were listed",
  superseded: "committed by another reading",
};

/** Reasons that are named for one turn; the others are in `--json` and in `link_syncs`. */
const MOST_NAMED = 3;

/** Skipped links by whose turn it is, in words: `9 need the customer (auth_expired 4, …)`. Pure. */
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
