import type { RuleName } from "../alert-settings.js";

/** A broken rule: what an alert is about. */
export interface Cause {
  readonly rule: RuleName;
  /** What it is about; with the rule it tells one cause from another. */
  readonly subject: string;
  readonly message: string;
  /** What somebody has to do; empty for an alert that is over. */
  readonly action: string;
  /** The run to look at; null for none. */
  readonly runId: string | null;
}

/** An alert as a row of the table `alerts` tells of it. */
export interface AlertEvent extends Cause {
  readonly alertId: string;
  readonly state: "raised" | "cleared";
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What has to be written so that each cause has one open alert, and no other alert is open. */
export interface Transitions {
  readonly raise: readonly Cause[];
  readonly clear: readonly AlertEvent[];
}

/** Compares the open alerts with the causes; alerts of rules that were not judged stay as they are. Pure. */
export function transitions(
  open: readonly AlertEvent[],
  causes: readonly Cause[],
  judged: readonly RuleName[],
): Transitions {
  const isOpen = new Set(open.map(keyOf));
  const isCause = new Set(causes.map(keyOf));
  return {
    raise: causes.filter((cause) => !isOpen.has(keyOf(cause))),
    clear: open.filter((alert) => judged.includes(alert.rule) && !isCause.has(keyOf(alert))),
  };
}

function keyOf({ rule, subject }: Cause): string {
  return `${rule} ${subject}`;
}

const OVER: Readonly<Record<RuleName, string>> = {
  "failed-run": "no run fails so any more",
  "another-subject": "no more answers of the newest runs are about others than allowed",
  "max-age": "a sync has completed again",
  "failed-links": "no more bank links fail than allowed",
  "open-quarantine": "no more rows are open in quarantine than allowed",
  "run-missing": "no run is missing any more",
  "run-longer-than": "no run takes longer than allowed",
};

/** What to say of an alert that is over. */
export function overWords({ rule, subject }: Pick<Cause, "rule" | "subject">): string {
  const about = /^schedule\/(.+)$/.exec(subject)?.[1];
  return about === undefined ? OVER[rule] : `schedule ${about}: ${OVER[rule]}`;
}
