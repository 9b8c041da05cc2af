import { StagingLostError } from "../domain/failures.js";
import type { ObjectStore } from "./store/object-store.js";

/** A commit reads all documents of its loads, and holds them in memory. */
const UNREAD_KEPT = 24;

/** What activities of a run pass to each other, except pages in journals. */
export class Staging {
  /** Documents of this process, until they are read. */
  readonly #unread = new Map<string, unknown>();

  constructor(private readonly store: ObjectStore) {}

  /** Durably: after its end nobody would delete it again. */
  async dropRun(runId: string): Promise<void> {
    await this.store.deletePrefix(`_staging/${runId}/`, { durable: true });
  }

  /** Stages what is too large or personal for a history, durably, once. */
  async putDocument(runId: string, name: string, value: unknown): Promise<void> {
    const key = documentKey(runId, name);
    await this.store.put(key, JSON.stringify(value), { durable: true });
    this.#unread.set(key, value);
    const [oldest] = this.#unread.keys();
    if (this.#unread.size > UNREAD_KEPT && oldest !== undefined) this.#unread.delete(oldest);
  }

  async document<T>(runId: string, name: string): Promise<T> {
    const key = documentKey(runId, name);
    const own = this.#unread.get(key);
    this.#unread.delete(key);
    if (own !== undefined) return own as T;
    const body = await this.store.get(key);
    if (body === undefined) throw new StagingLostError(key, "gone from the lake's staging area");
    return wholeDocument(key, () => JSON.parse(body.toString("utf8")) as T);
  }
}

export function wholeDocument<T>(key: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) throw new StagingLostError(key, "torn");
    throw error;
  }
}

function documentKey(runId: string, name: string): string {
  return `_staging/${runId}/${name}.json`;
}
