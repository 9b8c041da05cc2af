import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import { type Place, placeKey } from "../../../domain/sync/place.js";
import { readValue } from "../../../lake/sync/journal/journal.js";
import type { FoundLink, SliceReport } from "../../../lake/sync/journal/report.js";
import type { Dependencies } from "../../dependencies.js";

/** A link whose update was read and loaded to its end. */
export interface CompleteLink {
  /** Of the link's record. */
  readonly link: Place;
  readonly progress: LinkProgress;
}

/** Links of a report that were loaded. */
export interface LoadedReport {
  readonly report: Place;
  /** Keys of those that were not: their run goes on with them. */
  readonly without: readonly string[];
}

/** Links that are to be committed: those of reports, and those that are named. */
export async function completeLinks(
  deps: Dependencies,
  runId: string,
  reports: readonly LoadedReport[],
  named: readonly CompleteLink[],
): Promise<CompleteLink[]> {
  const links = [...named];
  for (const { report, without } of reports) {
    const { finished } = await readValue<SliceReport>(deps.lake.store, runId, report);
    links.push(...finished.filter(({ link }) => !without.includes(placeKey(link))));
  }
  return links;
}

/** A link with what its slice found of it. */
export async function foundLink(deps: Dependencies, runId: string, link: Place): Promise<FoundLink> {
  return readValue<FoundLink>(deps.lake.store, runId, link);
}
