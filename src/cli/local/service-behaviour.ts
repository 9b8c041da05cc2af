import { readAnswer } from "../../api/http/answer.js";
import type { ApiClient } from "../../api/http/client.js";
import { ApiError } from "../../api/http/errors.js";
import { listBankLinks, listUserTransactions, syncTransactions } from "../../api/operations/bank-data.js";

/**
 * How a service differs from the contract, as three reads about one user show (docs/use/sandbox.md, "Behave as the
 * service does").
 */
export async function behaviourOf(client: ApiClient, fp_id: string): Promise<string> {
  const path = { fp_id };
  const seen = { "dated-times": false, "readable-errors": false, "two-dates": false };
  await tried(async () => {
    const reply = await client.call(listBankLinks, { path });
    seen["two-dates"] = Array.isArray(reply.headers.date);
    const links = readAnswer(listBankLinks, reply).links as { id?: string; state?: string }[];
    const link_id = links.find(({ state }) => state === "error")?.id;
    if (link_id === undefined) return;
    await client.call(syncTransactions, { path: { link_id }, query: { size: 1 } });
    seen["readable-errors"] = true;
  });
  await tried(async () => {
    const { transactions } = await client.read(listUserTransactions, { path, query: { size: 1 } });
    const [row] = transactions as { date?: string }[];
    seen["dated-times"] = row?.date?.includes("T") === true;
  });
  const names = Object.entries(seen).flatMap(([name, is]) => (is ? [name] : []));
  const found = names.length === 0 ? "nothing beyond the contract" : names.join(", ");
  return `${found}, by reads about the first user, which tell of ${Object.keys(seen).join(", ")} only (docs/use/sandbox.md)`;
}

/** A refused read shows nothing. */
async function tried(work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}
