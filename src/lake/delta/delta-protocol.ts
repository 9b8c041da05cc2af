import { InputError } from "../../domain/failures.js";
import type { DeltaAction } from "./delta-actions.js";
import type { Snapshot } from "./delta-snapshot.js";

const READER_VERSION = 1;
const WRITER_VERSION = 2;
const FEATURES_WRITER_VERSION = 7;

/** The table property by which no commit may take rows away. */
export const APPEND_ONLY = "delta.appendOnly";

const KNOWN_FEATURES = new Set(["domainMetadata", "appendOnly", "invariants"]);

/** The tables that this version reads and writes, in the words of Delta's protocol. */
export const LAKE_FORMAT = {
  format: "delta",
  reader_version: READER_VERSION,
  writer_versions: [WRITER_VERSION, FEATURES_WRITER_VERSION],
  writer_features: [...KNOWN_FEATURES],
};

/** Checks that this version can read a table. @throws InputError where the table needs a newer reader. */
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

/** Checks that this version can write to a table. @throws InputError where the table needs a newer writer. */
export function assertWritable(table: string, snapshot: Snapshot): void {
  assertReadable(table, snapshot);
  const version = snapshot.protocol?.minWriterVersion ?? WRITER_VERSION;
  if (version <= WRITER_VERSION) return;
  const unknown = (snapshot.protocol?.writerFeatures ?? []).filter((name) => !KNOWN_FEATURES.has(name));
  if (version !== FEATURES_WRITER_VERSION || unknown.length > 0) {
    throw tooNew(table, `writer version ${version}${listed(unknown)}`);
  }
}

/** Refuses what a commit must never contain; each of these is a bug of the caller. */
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
