import { groupedBy } from "../domain/grouped-by.js";
import { bankLinkStream } from "./bank-links.js";
import type { Listing, Stream } from "./stream.js";

/** The streams that a run reads from the same answers. */
export interface ObservedListing extends Listing {
  readonly streams: readonly Stream[];
}

/**
 * What a run reads without a cursor: the selected streams, those of one operation together, and the links where another
 * stream needs them. Where links are named and every stream can be read link by link, only these are read.
 */
export function observedListings(
  streams: readonly Stream[],
  selected: readonly string[],
  links: readonly string[] | null = null,
): readonly ObservedListing[] {
  const named = streams.filter(({ name }) => selected.includes(name));
  const isByLink = links !== null && named.every(({ ofLink }) => ofLink !== undefined);
  const wanted = isByLink ? named.map(linkByLink) : named;
  const needsLinks = wanted.some((stream) => stream === bankLinkStream || stream.per === "link");
  const others = wanted.filter((stream) => stream !== bankLinkStream && stream.paging !== "cursor");
  const read = [...(needsLinks ? [bankLinkStream] : []), ...others];
  return [...groupedBy(read, ({ operation }) => operation).values()].map(together);
}

/** Each answer is requested, checked and staged once. */
function together(streams: readonly Stream[]): ObservedListing {
  const [first] = streams as readonly [Stream, ...Stream[]];
  const { name, operation, per, paging, windowed } = first;
  const exact = streams.flatMap(({ exactNumbers = [] }) =>
    exactNumbers === "by value" ? [] : [...exactNumbers],
  );
  const isByValue = streams.some(({ exactNumbers }) => exactNumbers === "by value");
  return {
    ...{ name, operation, per, paging, streams },
    ...(windowed !== undefined && { windowed }),
    lists: streams.flatMap(({ lists }) => lists),
    ...(exact.length > 0 && { exactNumbers: new Set(exact) }),
    ...(isByValue && { exactNumbers: "by value" }),
  };
}

function linkByLink(stream: Stream): Stream {
  return { ...stream, operation: stream.ofLink ?? stream.operation, per: "link" };
}
