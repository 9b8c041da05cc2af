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
