import type { Client } from "@temporalio/client";
import { defineSearchAttributeKey, type SearchAttributePair } from "@temporalio/common";
import { RUN_ATTRIBUTES } from "../domain/run.js";

const KEYWORD = "KEYWORD";
const known = new WeakMap<Client, Promise<boolean>>();

/** Search attributes of a new run; none where a cluster does not know them. */
export async function startAttributes(
  client: Client,
  { kind, schedule }: { readonly kind: string; readonly schedule: string | undefined },
): Promise<SearchAttributePair[]> {
  const isKnown = known.get(client) ?? knowsAttributes(client);
  known.set(client, isKnown);
  if (!(await isKnown)) return [];
  const values = { kind, status: "running", ...(schedule !== undefined && { schedule }) };
  return Object.entries(values).map(([name, value]) => ({
    key: defineSearchAttributeKey(RUN_ATTRIBUTES[name as keyof typeof RUN_ATTRIBUTES], KEYWORD),
    value,
  }));
}

/** A cluster's administrator adds them (docs/run/operate.md, "Search attributes"); until then runs have none. */
async function knowsAttributes(client: Client): Promise<boolean> {
  try {
    const { namespace } = client.options;
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    return Object.values(RUN_ATTRIBUTES).every((name) => customAttributes[name] !== undefined);
  } catch {
    return false;
  }
}
