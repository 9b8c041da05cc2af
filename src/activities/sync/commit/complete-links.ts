import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import { type Place, placeKey } from "../../../domain/sync/place.js";
import { readValue } from "../../../lake/sync/journal/journal.js";
import { type FoundLink, type SliceReport, withFound } from "../../../lake/sync/journal/report.js";
import type { Dependencies } from "../../dependencies.js";

/** A link whose update was read and loaded to its end. */
export interface CompleteLink {
  /** Of the link's record. */
  readonly link: Place;
  readonly progress: LinkProgress;
}

/** A complete link with what its slice found of it. */
export interface KnownLink extends CompleteLink {
  readonly found: FoundLink;
}

/** Links to commit, and those that another slice of the run has read as well, for another user. */
interface LinksToCommit {
  readonly links: readonly KnownLink[];
  readonly twice: readonly KnownLink[];
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
): Promise<LinksToCommit> {
  const all = [...named];
  for (const { report, without } of reports) {
    const { finished } = await readValue<SliceReport>(deps.lake.store, runId, report);
    const refused = new Set(without);
    all.push(...finished.filter(({ link }) => !refused.has(placeKey(link))));
  }
  const links = new Map<string, KnownLink>();
  const twice: KnownLink[] = [];
  for (const known of await withFound(deps.lake.store, runId, all)) {
    const { link_id } = known.found;
    if (links.has(link_id)) twice.push(known);
    else links.set(link_id, known);
  }
  return { links: [...links.values()], twice };
}
