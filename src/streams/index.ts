import { accountStream } from "./accounts.js";
import { bankLinkStream } from "./bank-links.js";
import { investmentTransactionStream } from "./investment-transactions.js";
import { securityStream } from "./securities.js";
import type { Stream } from "./stream.js";
import { transactionStream } from "./transactions.js";

/** A new one is one line more. */
export const STREAMS: readonly Stream[] = [
  accountStream,
  bankLinkStream,
  transactionStream,
  investmentTransactionStream,
  securityStream,
];

export function defaultStreams(streams: readonly Stream[]): string[] {
  return streams.filter(({ onRequest }) => !onRequest).map(({ name }) => name);
}
