import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { InputError } from "../../domain/failures.js";
import type { DeltaAction, Metadata, Protocol } from "./delta-actions.js";
import type { Snapshot } from "./delta-snapshot.js";
import { boundedColumns } from "./delta-stats.js";

type ColumnType =
  | "VARCHAR"
  | "BIGINT"
  | "INTEGER"
  | "BOOLEAN"
  | "DATE"
  | "TIMESTAMPTZ"
  | `DECIMAL(${number},${number})`;

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** `writeRows` encrypts it; `query --decrypt` opens it. */
  readonly encrypted?: true;
  /** As in docs/use/tables.md. */
  readonly about?: string;
}

/** docs/use/tables.md. */
export interface TableSpec {
  readonly name: string;
  /** The first sentence of its section in docs/use/tables.md. */
  readonly about?: string;
  readonly columns: readonly Column[];
  /** Append-only, with domains in its commits; all others stay at writer version 2. */
  readonly feed?: boolean;
}

const DELTA_TYPES = {
  VARCHAR: "string",
  BIGINT: "long",
  INTEGER: "integer",
  BOOLEAN: "boolean",
  DATE: "date",
  TIMESTAMPTZ: "timestamp",
} as const;

const SQL_TYPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(DELTA_TYPES).map(([sql, delta]) => [delta, sql])),
  short: "SMALLINT",
  byte: "TINYINT",
  float: "FLOAT",
  double: "DOUBLE",
  binary: "BLOB",
  timestamp_ntz: "TIMESTAMP",
};

export function schemaString(columns: readonly Column[]): string {
  const fields = columns.map(({ name, type, about }) => ({
    name,
    type: deltaType(type),
    nullable: true,
    metadata: about === undefined ? {} : { comment: about },
  }));
  return JSON.stringify({ type: "struct", fields });
}

interface Field {
  readonly name: string;
  readonly type: unknown;
  readonly metadata?: { readonly comment?: string };
}

const fieldsOf = (schema: string) => (JSON.parse(schema) as { fields: Field[] }).fields;

/** @throws InputError for nested columns */
export function columnsOf(
  table: string,
  schema: string,
): { name: string; type: string; description: string | null }[] {
  return fieldsOf(schema).map(({ name, type, metadata }) => {
    const sql = typeof type === "string" ? sqlType(type) : undefined;
    if (sql === undefined) {
      throw new InputError(
        `Column ${name} of table ${table} has the type ${JSON.stringify(type)}, which this version can't read.`,
      );
    }
    return { name, type: sql, description: metadata?.comment ?? null };
  });
}

/** A table's first actions. */
export function creationOf(spec: TableSpec, createdTime: number): DeltaAction[] {
  const protocol: Protocol = spec.feed
    ? { minReaderVersion: 1, minWriterVersion: 7, writerFeatures: ["domainMetadata", "appendOnly"] }
    : { minReaderVersion: 1, minWriterVersion: 2 };
  return [
    { protocol },
    {
      metaData: {
        id: randomUUID(),
        name: spec.name,
        ...(spec.about !== undefined && { description: spec.about }),
        format: { provider: "parquet", options: {} },
        schemaString: schemaString(spec.columns),
        partitionColumns: [],
        configuration: { ...(spec.feed && { [APPEND_ONLY]: "true" }), ...statsProperties(spec) },
        createdTime,
      },
    },
  ];
}

/** Without these, a filter of `deltalake` on a column without statistics matches no row. */
function statsProperties({ columns }: TableSpec): Readonly<Record<string, string>> {
  const bounded = boundedColumns(columns);
  return bounded.length === 0
    ? { "delta.dataSkippingNumIndexedCols": "0" }
    : { "delta.dataSkippingStatsColumns": bounded.join(",") };
}

/** Older files lack columns that were added after rows. */
const EXTENDED = "nightledger.extended";

export function isExtended(metadata: Metadata | undefined): boolean {
  return metadata?.configuration[EXTENDED] === "true";
}

/** The actions that make a table or add what it lacks; null in older rows. */
export function schemaActions(spec: TableSpec, { version, metadata }: Snapshot, now: number): DeltaAction[] {
  if (version === -1 || metadata === undefined) return creationOf(spec, now);
  const known = fieldsOf(metadata.schemaString);
  const listed = new Map(fieldsOf(schemaString(spec.columns)).map((field) => [field.name, field]));
  const described = known.map((field) => {
    const { metadata: said } = listed.get(field.name) ?? {};
    return { ...field, metadata: { ...field.metadata, ...said } };
  });
  for (const { name } of known) listed.delete(name);
  const fields = [...described, ...listed.values()];
  const description = spec.about ?? metadata.description;
  const changed: Metadata = {
    ...metadata,
    ...(description !== undefined && { description }),
    schemaString: JSON.stringify({ type: "struct", fields }),
    configuration: {
      ...metadata.configuration,
      ...(listed.size > 0 && { [EXTENDED]: "true" }),
      ...statsProperties(spec),
    },
  };
  return isDeepStrictEqual(changed, metadata) ? [] : [{ metaData: changed }];
}

function deltaType(type: ColumnType): string {
  const simple = DELTA_TYPES[type as keyof typeof DELTA_TYPES];
  return simple ?? type.toLowerCase().replaceAll(" ", "");
}

function sqlType(type: string): string | undefined {
  if (/^decimal\(\d+, *\d+\)$/.test(type)) return type.toUpperCase().replaceAll(" ", "");
  return SQL_TYPES[type];
}

const READER_VERSION = 1;
const WRITER_VERSION = 2;
const FEATURES_WRITER_VERSION = 7;

/** No commit may take rows away. */
export const APPEND_ONLY = "delta.appendOnly";

const KNOWN_FEATURES = new Set(["domainMetadata", "appendOnly", "invariants"]);

/** In the words of Delta's protocol. */
export const LAKE_FORMAT = {
  format: "delta",
  reader_version: READER_VERSION,
  writer_versions: [WRITER_VERSION, FEATURES_WRITER_VERSION],
  writer_features: [...KNOWN_FEATURES],
};

/** @throws InputError where the table needs a newer reader */
export function assertReadable(table: string, snapshot: Snapshot): void {
  const version = snapshot.protocol?.minReaderVersion ?? READER_VERSION;
  const features = snapshot.protocol?.readerFeatures ?? [];
  if (version > READER_VERSION || features.length > 0) {
    throw tooNew(table, `reader version ${version}${listed(features)}`);
  }
  if ((snapshot.metadata?.partitionColumns.length ?? 0) > 0) {
    throw new InputError(
      `Table ${table} is partitioned by columns, which this version can't read. No table of nightledger is.`,
    );
  }
}

/** @throws InputError where the table needs a newer writer */
export function assertWritable(table: string, snapshot: Snapshot): void {
  assertReadable(table, snapshot);
  const version = snapshot.protocol?.minWriterVersion ?? WRITER_VERSION;
  if (version <= WRITER_VERSION) return;
  const unknown = (snapshot.protocol?.writerFeatures ?? []).filter((name) => !KNOWN_FEATURES.has(name));
  if (version !== FEATURES_WRITER_VERSION || unknown.length > 0) {
    throw tooNew(table, `writer version ${version}${listed(unknown)}`);
  }
}

/** Refuses what no commit may contain: a bug of the caller. */
export function assertLawful(table: string, snapshot: Snapshot, actions: readonly DeltaAction[]): void {
  const creates = actions.some((action) => "protocol" in action) && actions.some((a) => "metaData" in a);
  if (snapshot.version === -1 && !creates) {
    throw new Error(`The first commit of table ${table} must carry its protocol and metaData.`);
  }
  const given = actions.find((action) => "metaData" in action)?.metaData ?? snapshot.metadata;
  const appendOnly = given?.configuration[APPEND_ONLY] === "true";
  if (appendOnly && actions.some((action) => "remove" in action && action.remove.dataChange)) {
    throw new Error(`Table ${table} is append-only: no commit may remove rows from it.`);
  }
}

function listed(features: readonly string[]): string {
  return features.length === 0 ? "" : ` with ${features.join(", ")}`;
}

function tooNew(table: string, needs: string): InputError {
  return new InputError(
    `Table ${table} needs a newer protocol (${needs}) than this version knows. Nothing was changed; ` +
      "use a newer version of nightledger for this lake, or another lake.",
  );
}
