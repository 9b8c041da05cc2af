import { isDay } from "../world/days.js";
import { Refusal } from "./answer.js";

/** A query string that holds only what the operation knows, each at most once. */
export class Query {
  readonly values: Readonly<Record<string, string>>;

  constructor(text: string, known: readonly string[]) {
    const values: Record<string, string> = {};
    for (const [name, value] of new URLSearchParams(text)) {
      if (!known.includes(name)) refuse(name, `unknown; accepted are: ${known.join(", ") || "none"}`);
      if (name in values) refuse(name, "given twice");
      values[name] = value;
    }
    this.values = values;
  }

  /** A text that must not be empty. */
  text(name: string): string | undefined {
    const value = this.values[name];
    if (value === "") refuse(name, "empty");
    return value;
  }

  /** An integer of at most `maximum`, and of at least `least`: 1 where it is not 0. */
  integer(name: string, maximum = Number.MAX_SAFE_INTEGER, least: 0 | 1 = 1): number | undefined {
    const value = this.values[name];
    if (value === undefined) return undefined;
    if (!(least === 0 && value === "0") && !/^[1-9]\d{0,14}$/.test(value))
      refuse(name, "not a positive integer");
    if (Number(value) > maximum) refuse(name, `above ${maximum}`);
    return Number(value);
  }

  /** A day written YYYY-MM-DD. */
  day(name: string): string | undefined {
    const value = this.values[name];
    if (value !== undefined && !isDay(value)) refuse(name, "not a day written YYYY-MM-DD");
    return value;
  }

  /** A comma-separated list of ids. */
  list(name: string): string[] | undefined {
    const items = this.values[name]?.split(",");
    if (items?.some((item) => item.trim() === "")) refuse(name, "an empty item");
    return items;
  }
}

function refuse(name: string, what: string): never {
  throw new Refusal(400, "invalid_request", `query parameter "${name}": ${what}`);
}
