import { InputError } from "../../src/domain/failures.js";
import { refuse } from "../http/answer.js";
import { seededId } from "../seeded-id.js";
import type { VaultValue } from "../vault/fields.js";
import type { VaultStore } from "../vault/vault-store.js";
import { businessInsights } from "./insights.js";

/** A business, as it is answered (docs/reference/service.md, "Business record"). */
export interface Business {
  readonly id: string;
  external_id: string | undefined;
  readonly sandbox_id: string | undefined;
}

/** A business to add by script. */
export interface NewBusiness {
  fp_bid?: string;
  external_id?: string | undefined;
  sandbox_id?: string | undefined;
  values?: Readonly<Record<string, VaultValue>>;
}

/** Every business, and the insights that a script has set. */
export class BusinessStore {
  readonly #businesses = new Map<string, Business>();
  readonly #insights = new Map<string, unknown>();

  constructor(
    private readonly externalIds: Map<string, string>,
    private readonly vaults: VaultStore,
    private readonly seed: string | number,
  ) {}

  has(id: string): boolean {
    return this.#businesses.has(id);
  }

  find(id: string): Business | undefined {
    return this.#businesses.get(id);
  }

  named(externalId: string): Business | undefined {
    return this.find(this.externalIds.get(externalId) ?? "");
  }

  list(): Business[] {
    return [...this.#businesses.values()];
  }

  /** Adds a business; gives its id. @throws InputError for an id that is taken. */
  add({ fp_bid, external_id, sandbox_id, values = {} }: NewBusiness = {}): string {
    const id = fp_bid ?? seededId("fp_bid_", this.seed, this.#businesses.size + 1);
    if (this.#businesses.has(id)) throw new InputError(`business ${id} is there already: choose another id`);
    if (external_id !== undefined) {
      if (this.externalIds.has(external_id))
        throw new InputError("business: the external id is taken; nothing was added");
      this.externalIds.set(external_id, id);
    }
    this.#businesses.set(id, { id, external_id, sandbox_id });
    if (Object.keys(values).length > 0) this.vaults.write(id, values);
    return id;
  }

  /**
   * Gives a business an external id (docs/reference/service.md, "Business update"). The one that it has already may be
   * given again: only ids of other entities are refused.
   * @throws Refusal 400
   */
  rename(business: Business, externalId: string): void {
    if (business.external_id === externalId) return;
    this.demandFree(externalId);
    if (business.external_id !== undefined) this.externalIds.delete(business.external_id);
    this.externalIds.set(externalId, business.id);
    business.external_id = externalId;
  }

  /** @throws Refusal 400 for an external id that an entity has. */
  demandFree(externalId: string): void {
    if (this.externalIds.has(externalId)) refuse("an entity with this external id exists");
  }

  /** Sets the insights of an onboarding; `undefined` takes them back. */
  setInsights(onboardingId: string, insights: unknown): void {
    if (insights === undefined) this.#insights.delete(onboardingId);
    else this.#insights.set(onboardingId, insights);
  }

  /**
   * The insights of a business onboarding (docs/reference/service.md, "Business insights"): a script's, else seeded.
   */
  insights(business: Business, onboardingId: string): unknown {
    const name = this.vaults.value(business.id, "business.name");
    const seed = `${this.seed}/insights/${business.id}/${onboardingId}`;
    return (
      this.#insights.get(onboardingId) ?? businessInsights(seed, typeof name === "string" ? name : undefined)
    );
  }
}

/** @throws Refusal 400 for an external id with other characters than docs/reference/service.md, "Limits", allows. */
export function checkExternalId(text: string): void {
  if (!/^[A-Za-z0-9_.-]+$/.test(text)) {
    refuse("an external id holds alphanumerics, underscores, hyphens and periods only");
  }
}
