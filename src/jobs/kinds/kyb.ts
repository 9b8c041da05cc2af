import { z } from "zod";
import type { JobKind } from "../kind.js";

export const kybKind = {
  kind: "kyb",
  command: "export kyb",
  description: "export what the service knows of all businesses in a file into tables of the lake",
  example: "nightledger export kyb --businesses businesses.csv",
  file: {
    name: "businesses file",
    option: "--businesses",
    rows: "businesses",
    columns: "CSV or JSONL file: fp_bid, optionally external_id, fp_id (the person that it belongs to)",
  },
  options: z.object({}),
  effect: false,
} as const satisfies JobKind;
