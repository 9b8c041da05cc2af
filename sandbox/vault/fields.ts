import { isJsonObject } from "../../src/domain/json/value.js";
import { refuse } from "../http/answer.js";

/** What a vault holds under an identifier (docs/reference/service.md, "Data identifiers"). */
export type VaultValue = string | number | boolean | Readonly<Record<string, unknown>>;

/** A JSON object of a request that holds only what the operation knows; never quotes a value. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;

  /** @throws Refusal 400 for what is no object, or has a field that is not known. */
  constructor(
    value: unknown,
    known: readonly string[],
    private readonly where = "body",
  ) {
    if (!isJsonObject(value)) refuse(`${where}: not an object`);
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) {
        refuse(`${where}: unknown field "${name}"; accepted are: ${known.join(", ") || "none"}`);
      }
    }
    this.#values = value;
  }

  /** A text that must not be empty. */
  text(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    if (typeof value !== "string") this.refuse(name, "not a string");
    if (value === "") this.refuse(name, "empty");
    return value;
  }

  required(name: string): string {
    return this.text(name) ?? this.refuse(name, "missing");
  }

  integer(name: string, least: number, most: number): number | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    if (typeof value !== "number" || !Number.isInteger(value)) this.refuse(name, "not an integer");
    if (value < least || value > most) this.refuse(name, `not within ${least} and ${most}`);
    return value;
  }

  boolean(name: string): boolean | undefined {
    const value = this.#values[name];
    if (value !== undefined && typeof value !== "boolean") this.refuse(name, "not true or false");
    return value as boolean | undefined;
  }

  oneOf<T extends string>(name: string, accepted: readonly T[]): T | undefined {
    const value = this.text(name);
    if (value !== undefined && !(accepted as readonly string[]).includes(value)) {
      this.refuse(name, `accepted are: ${accepted.join(", ")}`);
    }
    return value as T | undefined;
  }

  object(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    return isJsonObject(value) ? value : this.refuse(name, "not an object");
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    return Array.isArray(value) ? value : this.refuse(name, "not a list");
  }

  /** A list of texts, none of them empty. */
  texts(name: string): string[] | undefined {
    const list = this.list(name);
    if (list?.some((item) => typeof item !== "string" || item === ""))
      this.refuse(name, "an item that is not text");
    return list as string[] | undefined;
  }

  /** A field that must be there, be it null. */
  textOrNull(name: string): string | null {
    return this.#values[name] === null ? null : this.required(name);
  }

  refuse(name: string, what: string): never {
    refuse(`${this.where}: field "${name}": ${what}`);
  }
}

/** Whether a value may be stored in a vault: string, integer, boolean or object. */
export function isVaultValue(value: unknown): value is VaultValue {
  if (typeof value === "number") return Number.isInteger(value);
  return typeof value === "string" || typeof value === "boolean" || isJsonObject(value);
}
