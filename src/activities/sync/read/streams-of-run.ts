import { bankLinkStream } from "../../../streams/bank-links.js";
import type { Stream } from "../../../streams/stream.js";
import { transactionStream } from "../../../streams/transactions.js";

/** Streams without a cursor that a run reads: the selected ones, and the links where another stream needs them. */
export function observedStreams(streams: readonly Stream[], selected: readonly string[]): Stream[] {
  const wanted = streams.filter(({ name }) => selected.includes(name));
  const needsLinks = wanted.some((stream) => stream === bankLinkStream || stream.per === "link");
  const others = wanted.filter((stream) => stream !== bankLinkStream && stream.paging !== "cursor");
  return [...(needsLinks ? [bankLinkStream] : []), ...others];
}

/** Whether a run reads the links' transactions. */
export function readsTransactions(selected: readonly string[]): boolean {
  return selected.includes(transactionStream.name);
}
