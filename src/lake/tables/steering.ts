import type { TableSpec } from "../delta/delta-schema.js";
import { timestamptz, varchar } from "./columns.js";

export const steering = {
  name: "steering",
  about: "Commands that somebody gave with a button of the board",
  columns: [
    ...timestamptz({ requested_at: "when" }),
    ...varchar({
      requested_by:
        "the user of this machine, the user name that was given with the password, or whom the proxy named",
      command: "the command line",
      reason: "why, in their own words",
    }),
  ],
} as const satisfies TableSpec;
