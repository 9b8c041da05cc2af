import type { Client } from "@temporalio/client";
import type { CustomerNews } from "../domain/onboarding/follow/shard.js";
import { taskQueue } from "../domain/run.js";
import { tellFollow } from "../temporal/follow.js";

/** Time for one Temporal request; after it the sender is asked to try again. */
const ANSWER_WITHIN_MS = 5_000;

export function inTime<R>(client: Client, work: () => Promise<R>, ms: number = ANSWER_WITHIN_MS): Promise<R> {
  return client.withDeadline(Date.now() + ms, work);
}

/** Gives open rows their news, by their keys. */
export async function tellCustomers(
  client: Client,
  scope: string,
  keys: readonly string[],
  news: Omit<CustomerNews, "key">,
): Promise<void> {
  const place = { scope, taskQueue: taskQueue(scope) };
  await Promise.all(
    keys.map((key) => inTime(client, () => tellFollow(client, place, "news", { key, ...news }))),
  );
}
