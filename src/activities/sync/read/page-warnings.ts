import type { PageReading } from "../../../streams/page-reading.js";
import type { Listing } from "../../../streams/stream.js";
import type { Dependencies } from "../../dependencies.js";

/** Warns of values that fit no column and break no rule (docs/use/tables.md, "Accepted values"). */
export function warnOfOddities(
  { warnings }: Pick<Dependencies, "warnings">,
  runId: string,
  { name: stream }: Pick<Listing, "name">,
  { unknownFields, unreadableScores }: Pick<PageReading, "unknownFields" | "unreadableScores">,
): void {
  if (unknownFields > 0) {
    const message = "dropped fields that have no column; counts are those of one page";
    warnings.once(runId, `fields ${stream}`, { stream, fields: unknownFields }, message);
  }
  if (unreadableScores > 0) {
    const message = "set confidences that are not numbers to null; counts are those of one page";
    warnings.once(runId, `scores ${stream}`, { stream, scores: unreadableScores }, message);
  }
}
