import { accountStream } from "./accounts.js";
import { bankLinkStream } from "./bank-links.js";
import type { Stream } from "./stream.js";
import { transactionStream } from "./transactions.js";

export const STREAMS: readonly Stream[] = [accountStream, bankLinkStream, transactionStream];

export function defaultStreams(streams: readonly Stream[]): string[] {
  return streams.filter(({ onRequest }) => !onRequest).map(({ name }) => name);
}
