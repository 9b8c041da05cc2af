/** Actions that we write or understand; readers ignore others. */
export interface Protocol {
  readonly minReaderVersion: number;
  readonly minWriterVersion: number;
  readonly readerFeatures?: readonly string[];
  readonly writerFeatures?: readonly string[];
}

export interface Metadata {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly format: { readonly provider: string; readonly options: Readonly<Record<string, string>> };
  readonly schemaString: string;
  readonly partitionColumns: readonly string[];
  readonly configuration: Readonly<Record<string, string>>;
  readonly createdTime?: number;
}

/** A data file's sha256, in hex. */
export const SHA256_TAG = "nightledger.sha256";

export interface AddFile {
  /** Relative to the table, URL-encoded. */
  readonly path: string;
  readonly partitionValues: Readonly<Record<string, string>>;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modificationTime: number;
  readonly dataChange: boolean;
  /** JSON: see `delta-stats.ts`. */
  readonly stats?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

export interface RemoveFile {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly deletionTimestamp?: number;
  readonly dataChange: boolean;
  readonly extendedFileMetadata?: boolean;
  readonly partitionValues?: Readonly<Record<string, string>>;
  readonly size?: number;
}

export interface Txn {
  readonly appId: string;
  readonly version: number;
  /** Milliseconds since 1970; without it the transaction stays for ever. */
  readonly lastUpdated?: number;
}

interface DomainMetadata {
  readonly domain: string;
  readonly configuration: string;
  readonly removed: boolean;
}

export type CommitInfo = Readonly<Record<string, unknown>>;

export type DeltaAction =
  | { readonly protocol: Protocol }
  | { readonly metaData: Metadata }
  | { readonly add: AddFile }
  | { readonly remove: RemoveFile }
  | { readonly txn: Txn }
  | { readonly domainMetadata: DomainMetadata }
  | { readonly commitInfo: CommitInfo };

export function serializeActions(actions: readonly DeltaAction[]): string {
  return actions.map((action) => `${JSON.stringify(action)}\n`).join("");
}

/** @throws SyntaxError where a line is not JSON */
export function parseActions(body: string): DeltaAction[] {
  return body
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as DeltaAction);
}

export function removeOf(file: AddFile, deletionTimestamp: number): RemoveFile {
  return {
    path: file.path,
    deletionTimestamp,
    dataChange: true,
    extendedFileMetadata: true,
    partitionValues: file.partitionValues,
    size: file.size,
  };
}
