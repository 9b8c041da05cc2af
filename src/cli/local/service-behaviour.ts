import { readAnswer } from "../../api/http/answer.js";
import type { ApiClient } from "../../api/http/client.js";
import { ApiError } from "../../api/http/errors.js";
import { listBankLinks, listUserTransactions, syncTransactions } from "../../api/operations/bank-data.js";

/**
 * How a service behaves beyond its contract, as far as three reads about one user tell, by the names of
 * docs/use/sandbox.md, "Behave as the service does".
 */
export async function behaviourOf(client: ApiClient, fp_id: string): Promise<string> {
  const path = { fp_id };
  const { links, two } = await tried({ links: [], two: false }, async () => {
    const reply = await client.call(listBankLinks, { path });
    return { ...readAnswer(listBankLinks, reply), two: Array.isArray(reply.headers.date) };
  });
  const broken = (links as { id?: string; state?: string }[]).find(({ state }) => state === "error");
  const isReadable = await tried(false, async () => {
    if (broken?.id === undefined) return false;
    await client.call(syncTransactions, { path: { link_id: broken.id }, query: { size: 1 } });
    return true;
  });
  const list = await tried(undefined, () => client.read(listUserTransactions, { path, query: { size: 1 } }));
  const [row] = (list?.transactions ?? []) as { date?: string }[];
  const seen = {
    "dated-times": row?.date?.includes("T") === true,
    "readable-errors": isReadable,
    "two-dates": two,
  };
  const names = Object.entries(seen).flatMap(([name, is]) => (is ? [name] : []));
  const found = names.length === 0 ? "nothing beyond the contract" : names.join(", ");
  return `${found}, by reads about the first user, which tell of ${Object.keys(seen).join(", ")} only (docs/use/sandbox.md)`;
}

/** What the service refuses tells nothing. */
async function tried<R>(otherwise: R, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) return otherwise;
    throw error;
  }
}
