import { InvalidArgumentError } from "commander";
import { parseDuration } from "../../domain/duration.js";
import { parsePlaybookKey } from "../../domain/service/playbook-key.js";

/** Reads a playbook key, with or without a version tag. */
export function playbook(text: string): string {
  if (parsePlaybookKey(text) === undefined)
    throw new InvalidArgumentError("accepted: <playbook_key> or <playbook_key>:v<n>.");
  return text;
}

/** Reads a time with its unit; the result is in milliseconds. */
export function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined)
    throw new InvalidArgumentError("accepted: a number and a unit, as 14d, 36h, 90m or 30s; at most 3650d.");
  return ms;
}

/** Makes a reader of whole numbers from `least` to `most`; `what` names them in the message. */
export function between(least: number, most: number, what = "a whole number"): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`accepted: ${what} from ${least} to ${most}.`);
    return value;
  };
}

/** Reads a port to listen on; 0 takes a free one. */
export const portNumber = between(0, 65_535, "a number");

/** Reads a time-out in whole seconds. */
export const seconds = between(1, 99_999, "a whole number of seconds");
