import { dayNumber, dayText } from "../world/days.js";
import type { GeneratedRows } from "../world/link-log.js";
import { RowTemplate, VARIANTS } from "./row-template.js";
import type { TemplateCache } from "./template-cache.js";

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
  readonly #linkId: string;
  readonly #accounts: readonly string[];
  readonly #templates: TemplateCache;
  readonly #firstDay: number;
  readonly #days: number;
  readonly #salt: number;
  #dayText = "";
  #day = Number.NaN;

  constructor({ linkId, accounts, count, today, days, salt, templates }: VolumeRowsOptions) {
    this.count = count;
    this.#prefix = `txn_${linkId}_`;
    this.#firstDay = dayNumber(today) - days + 1;
    this.#days = days;
    this.#salt = salt;
    this.#linkId = linkId;
    this.#accounts = accounts;
    this.#templates = templates;
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
    return Math.max(0, Math.ceil(((this.#days - days) * this.count) / this.#days));
  }

  join(from: number, to: number): Buffer {
    const templates = this.#templates.of(this.#linkId);
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
    const variant = (Math.imul(index ^ this.#salt, 0x9e3779b1) >>> 0) % VARIANTS;
    templates[variant] ??= RowTemplate.variant(variant, this.#prefix, this.#accounts, ID_DIGITS);
    return templates[variant];
  }

  #cents(index: number): number {
    return 10_000 + ((Math.imul(index + this.#salt, 0x85ebca6b) >>> 0) % 90_000);
  }

  #dateOf(index: number): string {
    const day = this.#firstDay + Math.floor((index * this.#days) / this.count);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayText = dayText(day);
    }
    return this.#dayText;
  }
}
