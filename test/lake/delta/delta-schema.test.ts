import { expect, test } from "vitest";
import { columnsOf, creationOf, schemaString } from "../../../src/lake/delta/delta-schema.js";
import { COLUMNS, FEED, PLAIN } from "../../helpers/lake/delta-lake.js";

test("a column list becomes a Delta schema and comes back from it", () => {
  const text = schemaString(COLUMNS);
  const { fields } = JSON.parse(text) as { fields: { name: string; type: string; nullable: boolean }[] };
  expect(fields.map(({ type }) => type)).toEqual([
    "string",
    "long",
    "decimal(28,10)",
    "date",
    "timestamp",
    "boolean",
    "integer",
  ]);
  expect(fields.every((field) => field.nullable)).toBe(true);
  expect(columnsOf("t", text)).toEqual(COLUMNS);
});

test("a nested column is refused by name", () => {
  const schema = JSON.stringify({ type: "struct", fields: [{ name: "tags", type: { type: "array" } }] });
  expect(() => columnsOf("t", schema)).toThrow(/Column tags of table t/);
});

test("only the feed is append-only and carries domains; other tools may compact every other table", () => {
  const made = [FEED, PLAIN].map(
    (spec) => creationOf(spec, 1).map((action) => ("protocol" in action ? action : null))[0],
  );
  expect(made).toEqual([
    {
      protocol: {
        minReaderVersion: 1,
        minWriterVersion: 7,
        writerFeatures: ["domainMetadata", "appendOnly"],
      },
    },
    { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
  ]);
});
