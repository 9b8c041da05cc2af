import { z } from "zod";
import { filled, flag, type JobKind, orNull, text } from "../kind.js";

export const cipKind = {
  kind: "cip",
  command: "export cip",
  description:
    "request the CIP report of every user in a roster and write them as one pack: tables, a report and a manifest",
  example: "nightledger export cip --roster users.csv --approver compliance@example.com",
  file: {
    name: "roster",
    option: "--roster",
    columns:
      "CSV or JSONL file: fp_id, optionally external_id, risk, account_closed_on, legal_hold, excluded (a reason)",
  },
  options: z
    .object({
      approver: filled("Give the name or e-mail address that means an automatic approval").describe(
        "<name> who is accountable for automatic approvals: a name or an e-mail address; kept with the run",
      ),
      since: orNull(text).describe(
        "<export> the export to compare with, by id or directory (default: the newest)",
      ),
      reason: orNull(filled("Say why the export is made, or leave it out")).describe(
        "<text> why the export is made; recorded in the manifest and kept with the run: include no personal data",
      ),
      unmasked: flag
        .default(false)
        .describe(
          "show tax ids, birth dates, addresses and IP addresses in the report and CSV; needs --reason",
        ),
      out: orNull(text).describe("<directory> where to write the pack (default: _exports/cip in the lake)"),
    })
    .refine(({ unmasked, reason }) => !unmasked || reason !== null, {
      path: ["unmasked"],
      error:
        "shows tax ids, birth dates, addresses and IP addresses, so it needs --reason, which is recorded in the manifest",
    }),
  inputs: z.object({
    sign_key: text.optional().describe("<file> Ed25519 private key (PEM) that signs the manifest"),
  }),
  effect: false,
} as const satisfies JobKind;

export type CipOptions = z.output<typeof cipKind.options>;
