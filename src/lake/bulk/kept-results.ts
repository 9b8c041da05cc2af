import type { SealedStore } from "../store/sealed-store.js";

/** What an item came to. */
export interface StagedResult {
  /** Number of the item in its group's plan. */
  readonly item: number;
  readonly result: unknown;
}

/** The last of the objects of one name, which says how many are before it. */
interface LastResults {
  readonly before: number;
  readonly results: readonly StagedResult[];
}

/** Bytes of results in one object, and in the memory of whoever writes or reads them. */
const PART_BYTES = 8 * 1024 * 1024;

/** Keeps results of items below one key, durably, without holding all of them in memory. */
export class KeptResults {
  #results: StagedResult[] = [];
  #bytes = 0;
  #parts = 0;

  constructor(
    private readonly sealed: SealedStore,
    private readonly key: string,
  ) {}

  /** Adds a result, and returns its bytes. */
  async add(result: StagedResult): Promise<number> {
    const bytes = Buffer.byteLength(JSON.stringify(result));
    this.#results.push(result);
    this.#bytes += bytes;
    if (this.#bytes >= PART_BYTES) await this.#flush();
    return bytes;
  }

  async #flush(): Promise<void> {
    const results = this.#results;
    const part = this.#parts;
    this.#results = [];
    this.#bytes = 0;
    this.#parts += 1;
    await this.sealed.put(partKey(this.key, part), results, { durable: true });
  }

  /** Ends what was added; false where that is nothing. */
  async end(): Promise<boolean> {
    if (this.#parts === 0 && this.#results.length === 0) return false;
    const last: LastResults = { before: this.#parts, results: this.#results };
    await this.sealed.put(this.key, last, { durable: true });
    return true;
  }
}

/** Reads what was kept below a key, a part at a time. @throws StagingLostError when it is gone. */
export async function* keptResults(sealed: SealedStore, key: string): AsyncGenerator<StagedResult> {
  const { before, results } = await sealed.require<LastResults>(key);
  for (let part = 0; part < before; part += 1) {
    yield* await sealed.require<readonly StagedResult[]>(partKey(key, part));
  }
  yield* results;
}

function partKey(key: string, part: number): string {
  return `${key}.${part}`;
}
