import { dayNumber, dayText } from "../world/days.js";
import type { GeneratedRows } from "../world/link-log.js";
import { RowTemplate, VARIANTS } from "./row-template.js";

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

interface VolumeRowsOptions {
  linkId: string;
  accounts: readonly [string, string];
  count: number;
  today: string;
  days: number;
  /** What tells this link's amounts and texts from another's. */
  salt: number;
  templates: TemplateCache;
}

const ID_DIGITS = 8;

/** The rows of a volume link, each a function of its index: dates ascend over the span, amounts and texts vary. */
export class VolumeRows implements GeneratedRows {
  readonly count: number;
  readonly #prefix: string;
  readonly #firstDay: number;
  #dayText = "";
  #day = Number.NaN;

  constructor(private readonly options: VolumeRowsOptions) {
    this.count = options.count;
    this.#prefix = `txn_${options.linkId}_`;
    this.#firstDay = dayNumber(options.today) - options.days + 1;
  }

  id(index: number): string {
    return this.#prefix + String(index).padStart(ID_DIGITS, "0");
  }

  indexOf(id: string): number | undefined {
    if (!id.startsWith(this.#prefix) || id.length !== this.#prefix.length + ID_DIGITS) return undefined;
    const digits = id.slice(this.#prefix.length);
    const index = /^\d+$/.test(digits) ? Number(digits) : this.count;
    return index < this.count ? index : undefined;
  }

  text(index: number): string {
    return this.join(index, index + 1).toString();
  }

  /** The index of the first row dated on or after a day so many days before the last. */
  firstWithin(days: number): number {
    const { days: all } = this.options;
    return Math.max(0, Math.ceil(((all - days) * this.count) / all));
  }

  join(from: number, to: number): Buffer {
    const templates = this.options.templates.of(this.options.linkId);
    let size = 0;
    for (let index = from; index < to; index++) size += this.#template(templates, index).length + 1;
    const out = Buffer.allocUnsafe(Math.max(0, size - 1));
    let at = 0;
    for (let index = from; index < to; index++) {
      if (index > from) out[at++] = 0x2c;
      const template = this.#template(templates, index);
      at = template.write(out, at, index, this.#cents(index), this.#dateOf(index));
    }
    return out;
  }

  #template(templates: (RowTemplate | undefined)[], index: number): RowTemplate {
    const variant = (Math.imul(index ^ this.options.salt, 0x9e3779b1) >>> 0) % VARIANTS;
    templates[variant] ??= RowTemplate.variant(variant, this.#prefix, this.options.accounts, ID_DIGITS);
    return templates[variant];
  }

  #cents(index: number): number {
    return 10_000 + ((Math.imul(index + this.options.salt, 0x85ebca6b) >>> 0) % 90_000);
  }

  #dateOf(index: number): string {
    const day = this.#firstDay + Math.floor((index * this.options.days) / this.count);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayText = dayText(day);
    }
    return this.#dayText;
  }
}
