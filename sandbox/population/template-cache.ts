import type { RowTemplate } from "./row-template.js";

const LINKS = 64;

/** The templates of the links that were read last: 24 for each of 5,000 links would weigh more than their rows. */
export class TemplateCache {
  readonly #links = new Map<string, (RowTemplate | undefined)[]>();

  /** The templates of a link made so far, by variant; who reads makes those that are missing. */
  of(linkId: string): (RowTemplate | undefined)[] {
    const known = this.#links.get(linkId);
    if (known) return known;
    const templates: (RowTemplate | undefined)[] = [];
    this.#links.set(linkId, templates);
    if (this.#links.size > LINKS) this.#links.delete(this.#links.keys().next().value!);
    return templates;
  }
}
