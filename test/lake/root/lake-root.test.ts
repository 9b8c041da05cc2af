import { expect, test } from "vitest";
import { NO_TABLE } from "../../../src/lake/delta/delta-snapshot.js";
import { checkpointsSha256 } from "../../../src/lake/root/lake-root.js";

test("the hash of checkpoints is that of a state, in whatever order commits, or a checkpoint of the log, gave them", () => {
  const domains = [
    ["nightledger.link.a", "1"],
    ["nightledger.link.b", "2"],
  ] as const;
  const hashOf = (some: readonly (readonly [string, string])[]) =>
    checkpointsSha256({ ...NO_TABLE, domains: new Map(some) });
  expect(hashOf(domains.toReversed())).toBe(hashOf(domains));
  expect(
    hashOf([
      ["nightledger.link.a", "2"],
      ["nightledger.link.b", "1"],
    ]),
  ).not.toBe(hashOf(domains));
});
