import { refuse } from "../http/answer.js";
import type { VaultValue } from "../vault/fields.js";
import { isAccepted } from "../vault/identifiers.js";

/** How a value is written where its placeholder was. */
export type Escaping = "json" | "form" | "none";

const PLACEHOLDER = /\{\{\s*([^{}\s][^{}]*?)\s*\}\}/g;

/** Looks a value up; `undefined` where there is none. */
type VaultLookup = (fpId: string, identifier: string) => VaultValue | undefined;

/**
 * Replaces placeholders by decrypted values. What delimits them is not shown in the contract; here
 * `{{<fp_id>.<data identifier>}}`, and with a user at hand `{{<data identifier>}}`.
 */
export class Placeholders {
  /** What was replaced, by vault. */
  readonly used = new Map<string, Set<string>>();

  constructor(
    private readonly lookup: VaultLookup,
    private readonly fpId: string | undefined,
  ) {}

  /** @throws Refusal 400 for a placeholder that stands for nothing. */
  text(text: string, escaping: Escaping): string {
    return text.replace(PLACEHOLDER, (_, name: string) => escaped(this.#value(name), escaping));
  }

  /** Replaces in bytes of any encoding: all else stays byte for byte. @throws Refusal 400 */
  bytes(bytes: Buffer, escaping: Escaping): Buffer {
    const replaced = bytes
      .toString("latin1")
      .replace(PLACEHOLDER, (_, name: string) =>
        Buffer.from(escaped(this.#value(Buffer.from(name, "latin1").toString()), escaping)).toString(
          "latin1",
        ),
      );
    return Buffer.from(replaced, "latin1");
  }

  #value(name: string): VaultValue {
    const { fpId, identifier } = this.#split(name);
    const value = this.lookup(fpId, identifier);
    if (value === undefined) refuse(`placeholder for ${identifier}: the vault holds no such value`);
    const used = this.used.get(fpId) ?? new Set();
    this.used.set(fpId, used.add(identifier));
    return value;
  }

  #split(name: string): { fpId: string; identifier: string } {
    if (isAccepted("proxy", name)) {
      if (this.fpId === undefined) refuse("a placeholder without its user needs x-fp-id");
      return { fpId: this.fpId, identifier: name };
    }
    const [, fpId = "", identifier = ""] = /^([^.]+)\.(.+)$/.exec(name) ?? [];
    if (!isAccepted("proxy", identifier)) refuse("a placeholder that names no data identifier");
    return { fpId, identifier };
  }
}

function escaped(value: VaultValue, escaping: Escaping): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (escaping === "json") return JSON.stringify(text).slice(1, -1);
  return escaping === "form" ? encodeURIComponent(text) : text;
}
