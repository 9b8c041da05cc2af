import { z } from "zod";
import { parseDuration } from "../../domain/duration.js";
import { ONBOARDING_MODES } from "../../domain/onboarding/customer.js";
import { parsePlaybookKey } from "../../domain/service/playbook-key.js";
import { flag, type JobKind, text, wholeNumber } from "../../jobs/kind.js";

const duration = text
  .transform(parseDuration)
  .refine(
    (ms) => ms !== undefined,
    "is not a number and a unit, such as 14d, 36h, 90m or 30s; at most 3650d",
  );

/** A batch's own rooms do what it does (docs/use/onboarding.md). */
export const onboardKind = {
  kind: "onboard",
  command: "onboard",
  description: "run a playbook on every customer in a file; running it again posts nothing twice",
  example: "nightledger onboard --customers customers.csv --playbook <key>",
  file: {
    name: "customers file",
    option: "--customers",
    rows: "customers",
    columns: "CSV or JSONL file with one customer per row; see docs/use/onboarding.md",
  },
  options: z.object({
    playbook: text
      .refine((key) => parsePlaybookKey(key) !== undefined, "is not <playbook_key> or <playbook_key>:v<n>")
      .describe("<key> playbook key, optionally with a version: pb_1 or pb_1:v3"),
    mode: z
      .enum(ONBOARDING_MODES, `is not ${ONBOARDING_MODES.join(" or ")}`)
      .default("async")
      .describe("<mode> sync: wait for each decision; async: learn of it by webhook or polling"),
    limit: wholeNumber(1, 10_000_000)
      .optional()
      .describe("<n> only the first n rows; a higher limit later continues from there"),
  }),
  inputs: z.object({
    sync_timeout: wholeNumber(1, 30)
      .optional()
      .describe("<seconds> how long to wait for a decision in sync mode, 1 to 30 (default: 30)"),
    window: wholeNumber(1, 500).default(100).describe("<n> customers to process concurrently"),
    deadline: duration
      .optional()
      .describe("<time> how long to wait for customers and reviewers (default: 14d)"),
    circuit: wholeNumber(0, 1_000_000)
      .default(20)
      .describe("<n> consecutive identical errors that pause the batch; 0 never pauses it"),
    continuations: text
      .optional()
      .describe("<file> append the links of customers who must continue to this file, encrypted"),
    plain_output: flag.optional().describe("store the playbook's output unencrypted in the table"),
    until: z
      .enum(["settled"], "is not settled")
      .optional()
      .describe("<state> settled: also wait for customers and reviewers"),
  }),
  effect: true,
} as const satisfies JobKind;
