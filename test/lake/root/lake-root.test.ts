import { expect, test } from "vitest";
import { type AddFile, SHA256_TAG } from "../../../src/lake/delta/delta-actions.js";
import { NO_TABLE } from "../../../src/lake/delta/delta-snapshot.js";
import { stateSha256 } from "../../../src/lake/root/lake-root.js";

const domains = [
  ["nightledger.link.a", "1"],
  ["nightledger.link.b", "2"],
] as const;
const file = {
  path: "x.parquet",
  size: 10,
  stats: '{"numRecords":3}',
  tags: { [SHA256_TAG]: "5f0c" },
} as unknown as AddFile;

const hashOf = (some: readonly (readonly [string, string])[], ...files: AddFile[]) =>
  stateSha256({ ...NO_TABLE, domains: new Map(some), files: new Map(files.map((one) => [one.path, one])) });

test("the hash of a table is that of its state, in whatever order commits, or a checkpoint of the log, gave it", () => {
  const other = { ...file, path: "a.parquet", modificationTime: 1 };
  expect(hashOf(domains.toReversed(), file, other)).toBe(hashOf(domains, other, file));
});

test.each([
  ["a head", [["nightledger.link.a", "2"], domains[1]], file],
  ["a head less", [domains[0]], file],
  ["another path", domains, { ...file, path: "y.parquet" }],
  ["another size", domains, { ...file, size: 11 }],
  // Readers leave files out by these.
  ["other statistics", domains, { ...file, stats: '{"numRecords":4}' }],
  ["another sha256", domains, { ...file, tags: { [SHA256_TAG]: "5f0d" } }],
] as const)("%s is another state", (_, some, changed) => {
  expect(hashOf(some, changed)).not.toBe(hashOf(domains, file));
});
