import { linkObstacle } from "../../../domain/sync/link-obstacle.js";
import type { RosterRow } from "../../../domain/sync/roster.js";
import { type PageName, pageKey, wholeDocument } from "../../../lake/staging.js";
import { bankLinkStream } from "../../../streams/bank-links.js";
import { readPage, rowsAt } from "../../../streams/page-reading.js";
import type { Stream } from "../../../streams/stream.js";
import type { Dependencies } from "../../dependencies.js";
import type { PageToLoad } from "../load/load-with-repair.js";

/** A user of a group whose observed streams are staged. */
export interface ObservedUser {
  /** Index of the user in the frozen roster. */
  readonly user: number;
  /** Attempt whose pages count, of streams that are read page by page. */
  readonly attempt: number;
}

/** Whose rows the answers of an observed stream hold. */
export interface Owner {
  readonly fpId: string;
  readonly linkId: string | null;
}

/** Streams without a cursor that a run reads: the selected ones, and the links where another stream needs them. */
export function observedStreams(streams: readonly Stream[], selected: readonly string[]): Stream[] {
  const wanted = streams.filter(({ name }) => selected.includes(name));
  const needsLinks = wanted.some((stream) => stream === bankLinkStream || stream.per === "link");
  const others = wanted.filter((stream) => stream !== bankLinkStream && stream.paging !== "cursor");
  return [...(needsLinks ? [bankLinkStream] : []), ...others];
}

/** The owners of a stream's rows: the user, or each of the user's links that can be read. */
export async function ownersOf(
  deps: Dependencies,
  { runId, links }: { readonly runId: string; readonly links: readonly string[] | null },
  stream: Stream,
  { fp_id: fpId, links: own }: RosterRow,
): Promise<Owner[]> {
  if (stream.per === "user") return [{ fpId, linkId: null }];
  const only = own ?? links;
  const listed = await listedLinks(deps, runId, fpId);
  return listed
    .filter(({ id, obstacle }) => obstacle === null && (only === null || only.includes(id)))
    .map(({ id }) => ({ fpId, linkId: id }));
}

/** A staged answer of an observed stream. */
export function observedPage(
  runId: string,
  stream: Stream,
  owner: Owner,
  attempt: number,
  page: number,
): PageToLoad {
  const name = {
    runId,
    stream: stream.name,
    owner: owner.linkId ?? owner.fpId,
    attempt: stream.paging === "page" ? attempt : 0,
    page,
  };
  return { name, ...owner, generation: null, sequenceFrom: null };
}

/** The staged pages of one owner, in order. */
export async function stagedPages(
  deps: Dependencies,
  runId: string,
  stream: Stream,
  owner: Owner,
  attempt: number,
): Promise<PageToLoad[]> {
  const first = observedPage(runId, stream, owner, attempt, 0);
  if (stream.paging === "none") return [first];
  const pages: PageToLoad[] = [];
  for (let page = 0; ; page += 1) {
    const one = observedPage(runId, stream, owner, attempt, page);
    if ((await deps.lake.staging.bytes(one.name)) === undefined) return pages;
    pages.push(one);
  }
}

/** A bank link as the service listed it. */
interface ListedLink {
  readonly id: string;
  /** Why it can't be read; null for a connected one. */
  readonly obstacle: string | null;
}

/** The links of a user whose list is staged, without those that are in quarantine. */
export async function listedLinks(deps: Dependencies, runId: string, fpId: string): Promise<ListedLink[]> {
  const name: PageName = observedPage(runId, bankLinkStream, { fpId, linkId: null }, 0, 0).name;
  const page = await deps.lake.staging.requirePage(name);
  const reading = wholeDocument(pageKey(name), () => readPage(bankLinkStream, page.body));
  const bad = new Set(reading.problems.map(({ index }) => index));
  const good = bankLinkStream.lists.flatMap((list) =>
    rowsAt(reading.envelope, list).filter((_, index) => !bad.has(index)),
  ) as { readonly id: string; readonly state: string; readonly error_code?: string | null }[];
  return good.map(({ id, state, error_code }) => ({
    id,
    obstacle: linkObstacle(state, error_code ?? null)?.reason ?? null,
  }));
}
