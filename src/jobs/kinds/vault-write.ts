import { z } from "zod";
import type { JobKind } from "../kind.js";

export const vaultWriteKind = {
  kind: "vault_write",
  command: "vault write",
  description: "write the values and files of each row into its user's vault",
  example: "nightledger vault write --file values.csv",
  file: {
    name: "values file",
    option: "--file",
    columns:
      "CSV or JSONL file: fp_id, data identifiers such as id.email, and upload:<identifier> with paths of files",
  },
  options: z.object({}),
  effect: true,
} as const satisfies JobKind;
