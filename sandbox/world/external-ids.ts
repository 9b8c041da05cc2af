/** The customer's own ids of users and businesses: one entity an id within the organization. */
export class ExternalIds {
  readonly #entities = new Map<string, string>();

  /** The entity that has an id. */
  entityOf(externalId: string): string | undefined {
    return this.#entities.get(externalId);
  }

  /** Gives an id to an entity; the one that has it keeps it. Tells whether it was free. */
  take(externalId: string, entityId: string): boolean {
    if (this.#entities.has(externalId)) return false;
    this.#entities.set(externalId, entityId);
    return true;
  }

  free(externalId: string): void {
    this.#entities.delete(externalId);
  }
}
