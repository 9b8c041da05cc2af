import { describe, expect, test } from "vitest";
import type { DeltaAction, Metadata } from "../../../src/lake/delta/delta-actions.js";
import {
  columnsOf,
  creationOf,
  isExtended,
  schemaActions,
  schemaString,
} from "../../../src/lake/delta/delta-schema.js";
import { NO_TABLE } from "../../../src/lake/delta/delta-snapshot.js";
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
  expect(columnsOf("t", text)).toEqual(COLUMNS.map((column) => ({ ...column, description: null })));
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

const metadataOf = (actions: readonly DeltaAction[]) =>
  actions.flatMap((action) => ("metaData" in action ? [action.metaData] : []))[0];
const at = (metadata: Metadata | undefined) => ({ ...NO_TABLE, version: 3, ...(metadata && { metadata }) });

test.each([
  [FEED, { "delta.appendOnly": "true", "delta.dataSkippingStatsColumns": "link_id,date,sequence" }],
  [{ name: "t", columns: COLUMNS.slice(0, 1) }, { "delta.dataSkippingStatsColumns": "link_id" }],
  [{ name: "t", columns: COLUMNS.slice(4) }, { "delta.dataSkippingNumIndexedCols": "0" }],
])("a table names the columns with statistics, an older one with its next commit (%#)", (spec, expected) => {
  const made = metadataOf(creationOf(spec, 1)) as Metadata;
  expect(made.configuration).toEqual(expected);
  expect(schemaActions(spec, at(made), 2)).toEqual([]);
  const older = { ...made, configuration: { theirs: "1" } };
  const { "delta.appendOnly": _, ...named } = expected as Record<string, string>;
  expect(metadataOf(schemaActions(spec, at(older), 2))).toEqual({
    ...made,
    configuration: { theirs: "1", ...named },
  });
});

describe("a table of an earlier version", () => {
  const older = { name: "t", columns: [{ name: "a", type: "VARCHAR" }] } as const;
  const newer = {
    name: "t",
    about: "Things",
    columns: [{ ...older.columns[0], about: "the thing" }],
  } as const;
  const more = {
    ...newer,
    columns: [...newer.columns, { name: "b", type: "DATE", about: "its day" }],
  } as const;
  const made = metadataOf(creationOf(older, 1));

  test("gets with its next commit what is said of it, once, and its files are still whole", () => {
    const described = metadataOf(schemaActions(newer, at(made), 2));
    expect(described).toEqual({
      ...made,
      description: "Things",
      schemaString: schemaString(newer.columns),
    });
    expect(isExtended(described)).toBe(false);
    expect(schemaActions(newer, at(described), 3)).toEqual([]);
    expect(columnsOf("t", described?.schemaString ?? "")).toEqual([
      { name: "a", type: "VARCHAR", description: "the thing" },
    ]);
  });

  test("gets new columns as well, and keeps those of other tools with what these say", () => {
    const field = { name: "theirs", type: "long", nullable: true, metadata: { comment: "kept", x: 1 } };
    const { fields } = JSON.parse(schemaString(older.columns)) as { fields: object[] };
    const theirs = JSON.stringify({ type: "struct", fields: [...fields, field] });
    const extended = metadataOf(schemaActions(more, at(made && { ...made, schemaString: theirs }), 2));
    expect(isExtended(extended)).toBe(true);
    const { fields: all } = JSON.parse(extended?.schemaString ?? "") as { fields: object[] };
    const [a, b] = (JSON.parse(schemaString(more.columns)) as { fields: object[] }).fields;
    expect(all).toEqual([a, field, b]);
  });
});
