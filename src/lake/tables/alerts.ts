import type { TableSpec } from "../delta/delta-schema.js";
import { timestamptz, varchar } from "./columns.js";

export const alerts = {
  name: "alerts",
  about: "Alerts and what became of each message",
  columns: [
    ...varchar({ alert_id: "of one cause for as long as it lasts", rule: "the rule of the alert" }),
    ...varchar({ subject: "what it is about: `schedule/<name>`, a kind of runs, `links`, `quarantine`" }),
    ...varchar({ state: "`raised` or `cleared`; for a delivery, which of the two messages it is about" }),
    ...varchar({ message: "what is wrong, or that it is over; for a delivery that was given up, why" }),
    ...varchar({ action: "what somebody has to do; null for nothing" }),
    ...varchar({ run_id: "the run to look at; null for none" }),
    ...varchar({ targets: "who is told: `command`, `webhook`, `command,webhook`" }),
    ...varchar({ delivery: "`delivered`, or `undelivered` when it was given up after about a day" }),
    ...varchar({ target: "for a delivery: `command` or `webhook`" }),
    ...timestamptz({ recorded_at: "when the row was written" }),
  ],
} as const satisfies TableSpec;
