import { bankLinkStream } from "../../../streams/bank-links.js";
import type { Stream } from "../../../streams/stream.js";
import { transactionStream } from "../../../streams/transactions.js";

/**
 * Streams without a cursor that a run reads: the selected ones, and the links where another stream needs them. Where
 * links are named and every selected stream can be read link by link, only these links are read.
 */
export function observedStreams(
  streams: readonly Stream[],
  selected: readonly string[],
  links: readonly string[] | null = null,
): Stream[] {
  const named = streams.filter(({ name }) => selected.includes(name));
  const isByLink = links !== null && named.every(({ ofLink }) => ofLink !== undefined);
  const wanted = isByLink ? named.map(linkByLink) : named;
  const needsLinks = wanted.some((stream) => stream === bankLinkStream || stream.per === "link");
  const others = wanted.filter((stream) => stream !== bankLinkStream && stream.paging !== "cursor");
  return [...(needsLinks ? [bankLinkStream] : []), ...others];
}

function linkByLink(stream: Stream): Stream {
  return { ...stream, operation: stream.ofLink ?? stream.operation, per: "link" };
}

/** Whether a run reads the links' transactions. */
export function readsTransactions(selected: readonly string[]): boolean {
  return selected.includes(transactionStream.name);
}
