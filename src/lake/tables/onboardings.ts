import { OUTCOME_COLUMNS } from "../../domain/tables/onboardings.js";
import type { TableSpec } from "../delta/delta-schema.js";

/** One row per line, attempt and version of a batch. */
export const onboardings = {
  name: "onboardings",
  columns: [...OUTCOME_COLUMNS],
} as const satisfies TableSpec;

/** Ends a query over one batch: keeps the latest version of the latest attempt of each line. */
export const LATEST_OF_A_LINE =
  "qualify row_number() over (partition by line order by attempt desc, version desc) = 1";
