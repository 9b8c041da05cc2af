import type { SealedStore } from "../store/sealed-store.js";
import { BulkStaging } from "./bulk-staging.js";

/** The run of a kind that may change something at the service, for one lake. */
export interface EffectClaim {
  readonly runId: string;
  readonly staging: string;
  readonly workflowId: string;
  /** Of its Temporal. */
  readonly namespaceId: string;
}

/**
 * The claims of a kind with an effect: one run at a time, since each plans by what earlier ones wrote. The newest counts
 * while its staging exists, which a run drops once its rows are in the tables.
 */
export class EffectClaims {
  constructor(
    private readonly sealed: SealedStore,
    private readonly kind: string,
    private readonly isFrozen = async (staging: string): Promise<boolean> =>
      (await new BulkStaging(sealed, staging).file.find()) !== undefined,
  ) {}

  /** Undefined where the next run may begin. */
  async holder(): Promise<EffectClaim | undefined> {
    const newest = (await this.#numbers()).at(-1);
    if (newest === undefined) return undefined;
    const claim = await this.sealed.get<EffectClaim>(this.#key(newest));
    // A newer claim was written meanwhile.
    if (claim === undefined) return this.holder();
    return (await this.isFrozen(claim.staging)) ? claim : undefined;
  }

  /** Claims, unless `assertFree` throws for the holder. */
  async take(claim: EffectClaim, assertFree: (holder: EffectClaim) => Promise<void>): Promise<void> {
    for (;;) {
      const number = ((await this.#numbers()).at(-1) ?? 0) + 1;
      const holder = await this.holder();
      if (holder !== undefined) await assertFree(holder);
      if (!(await this.sealed.putIfAbsent(this.#key(number), claim))) continue;
      const numbers = await this.#numbers();
      // The number may be of a claim that was given up long ago.
      if (numbers.at(-1) !== number) continue;
      for (const earlier of numbers.slice(0, -1)) await this.sealed.delete(this.#key(earlier));
      return;
    }
  }

  async #numbers(): Promise<number[]> {
    const entries = await this.sealed.list(this.#key(""));
    return entries.map(({ key }) => Number(key.slice(key.lastIndexOf("/") + 1))).sort((a, b) => a - b);
  }

  #key(number: number | ""): string {
    return `_staging/${this.kind}-claims/${number}`;
  }
}
