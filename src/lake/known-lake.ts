import { hash } from "node:crypto";
import { createLocalStore } from "./store/local/local-store.js";

/** The id of the lake that a HOME knows in a place; undefined before its first use (docs/run/errors.md, "A lake that is gone"). */
export async function knownLake(home: string, address: string): Promise<string | undefined> {
  return (await createLocalStore(home).get(keyOf(address)))?.toString("utf8");
}

export async function rememberLake(home: string, address: string, lake: string): Promise<void> {
  if ((await knownLake(home, address)) === lake) return;
  await createLocalStore(home).put(keyOf(address), lake, { durable: true });
}

function keyOf(address: string): string {
  return `lakes/${hash("sha256", address).slice(0, 16)}`;
}
