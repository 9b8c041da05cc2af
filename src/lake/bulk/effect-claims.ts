import type { SealedStore } from "../store/sealed-store.js";
import { BulkStaging } from "./bulk-staging.js";

/** Says which run of a kind may change something at the service, for one lake. */
export interface EffectClaim {
  readonly runId: string;
  readonly staging: string;
  readonly workflowId: string;
  /** Of the Temporal that runs it. */
  readonly namespaceId: string;
}

/**
 * The claims of a kind of job with an effect: one run at a time, because each plans by what the earlier ones wrote. The
 * newest claim counts while its staging exists: a run drops its staging once its rows are in the tables.
 */
export class EffectClaims {
  constructor(
    private readonly sealed: SealedStore,
    private readonly kind: string,
    /** Whether the staging of this name holds frozen rows. */
    private readonly isFrozen = async (staging: string): Promise<boolean> =>
      (await new BulkStaging(sealed, staging).file.find()) !== undefined,
  ) {}

  /** The claim that counts; undefined where the next run may begin. */
  async holder(): Promise<EffectClaim | undefined> {
    const newest = (await this.#numbers()).at(-1);
    if (newest === undefined) return undefined;
    const claim = await this.sealed.get<EffectClaim>(this.#key(newest));
    // Gone: a newer one was written meanwhile.
    if (claim === undefined) return this.holder();
    return (await this.isFrozen(claim.staging)) ? claim : undefined;
  }

  /** Makes a claim the one that counts, unless `assertFree` throws for the one that does. */
  async take(claim: EffectClaim, assertFree: (holder: EffectClaim) => Promise<void>): Promise<void> {
    for (;;) {
      const number = ((await this.#numbers()).at(-1) ?? 0) + 1;
      const holder = await this.holder();
      if (holder !== undefined) await assertFree(holder);
      if (!(await this.sealed.putIfAbsent(this.#key(number), claim))) continue;
      const numbers = await this.#numbers();
      // Its number may have been one that was taken, and given up, long ago.
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
