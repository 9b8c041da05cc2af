import { StagingLostError } from "./staging-lost-error.js";
import type { ObjectStore } from "./store/object-store.js";

/** The staging area of a lake: what runs hand from one activity to the next, apart from the pages in their journals. */
export class Staging {
  constructor(private readonly store: ObjectStore) {}

  /** Durably: once the run has ended, nobody deletes it again. */
  async dropRun(runId: string): Promise<void> {
    await this.store.deletePrefix(`_staging/${runId}/`, { durable: true });
  }

  /** Something of the run that is too large, or too personal, for a workflow's history, which names it: durable. */
  async putDocument(runId: string, name: string, value: unknown): Promise<void> {
    await this.store.put(documentKey(runId, name), JSON.stringify(value), { durable: true });
  }

  /** @throws StagingLostError when it is not there, or not whole. */
  async document<T>(runId: string, name: string): Promise<T> {
    const key = documentKey(runId, name);
    const body = await this.store.get(key);
    if (body === undefined) throw new StagingLostError(key, "gone from the lake's staging area");
    return wholeDocument(key, () => JSON.parse(body.toString("utf8")) as T);
  }
}

/** What was staged as JSON, read back. @throws StagingLostError where it is torn. */
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
