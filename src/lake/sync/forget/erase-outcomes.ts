import type { ObjectStore } from "../../store/object-store.js";

/** Takes a person's lines out of the files of batches' outcomes, which are made of `onboardings`. */
export async function eraseOutcomes(store: ObjectStore, fpId: string): Promise<void> {
  for (const { key } of await store.list("_batches/")) {
    if (!key.endsWith("/outcomes.csv")) continue;
    const text = (await store.get(key))?.toString("utf8");
    if (text === undefined || !text.includes(fpId)) continue;
    const lines = text.split(/(?<=\n)/);
    const kept = lines.filter((line) => !line.trimEnd().split(",").includes(fpId));
    if (kept.length < lines.length) await store.put(key, kept.join(""), { durable: true });
  }
}
