import { describe, expect, it } from "vitest";
import {
  between,
  count,
  duration,
  failRules,
  idList,
  namesOf,
  positive,
  rowLimit,
} from "../../../src/cli/commands/option-values.js";

type Read = (text: string) => unknown;
const streams = namesOf("stream", ["accounts", "transactions"]);

describe("values of options", () => {
  const right: [string, Read, string, unknown][] = [
    ["a count", count, "0", 0],
    ["a size", positive, "500", 500],
    ["a range's ends", between(1, 30), "30", 30],
    ["a limit of rows", rowLimit, "10", 10],
    ["no limit of rows", rowLimit, "0", Number.POSITIVE_INFINITY],
    [
      "names, sorted, each once",
      streams,
      "transactions, accounts,transactions",
      ["accounts", "transactions"],
    ],
    ["ids, sorted, each once", idList, "b,a ,b", ["a", "b"]],
    ["a duration", duration, "90m", 5_400_000],
  ];
  it.each(right)("%s", (_, read, text, value) => {
    expect(read(text)).toEqual(value);
  });

  const wrong: [string, Read, string, string][] = [
    ["a count that is not whole", count, "1.5", "accepted: a whole number."],
    ["a count that is empty", count, "", "accepted: a whole number."],
    ["a size of zero", positive, "0", "accepted: a positive whole number."],
    ["a number below a range", between(1, 30), "0", "accepted: a whole number from 1 to 30."],
    ["a number above a range", between(1, 30, "a number"), "31", "accepted: a number from 1 to 30."],
    ["a limit below zero", rowLimit, "-1", "accepted: a whole number; 0 shows all."],
    ["an unknown name", streams, "accounts,x", "unknown stream x; accepted: accounts, transactions."],
    [
      "a list that a shell has cut at its space",
      streams,
      "accounts,",
      "the name of a stream is empty; accepted, separated by commas without spaces: accounts, transactions.",
    ],
    ["an empty id", idList, "a,,b", "an id is empty; accepted: ID,ID,…"],
    ["a duration without its unit", duration, "14", "accepted: a number and a unit"],
    [
      "an unknown rule",
      failRules,
      "failed",
      "unknown rule \"failed\"; accepted: quarantine, skipped, id-conflicts and 'stale>3d'",
    ],
    [
      "a rule that a shell has cut",
      failRules,
      "stale",
      "quote it, because the shell treats > as a redirection.",
    ],
  ];
  it.each(wrong)("%s is refused, and what is accepted is said", (_, read, text, words) => {
    expect(() => read(text)).toThrow(words);
  });
});
