import { hash } from "node:crypto";
import type { Place } from "../../../domain/sync/place.js";

/** Describes a record, in the line before its body. */
export interface RecordHeader {
  readonly kind: "page" | "clean" | "bad" | "link" | "lists" | "report";
  /** ISO instant. */
  readonly at: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Of a page: the name by which a repeated activity finds it. */
  readonly page?: PageName;
  /** Of a page whose bad rows were removed. */
  readonly cleaned?: CleanedPlaces;
}

export interface PageName {
  readonly stream: string;
  /** `link_id` or `fp_id`. */
  readonly owner: string;
  readonly attempt: number;
  readonly page: number;
  /** Hash of what the page follows, cursor and committed state: another state's page must not be reused. */
  readonly after: string;
}

export function nameKey({ stream, owner, attempt, page, after }: PageName): string {
  return JSON.stringify([stream, owner, attempt, page, after]);
}

export interface CleanedPlaces {
  readonly clean: Place;
  readonly bad: Place;
}

export interface StagedRecord {
  readonly header: RecordHeader;
  readonly body: Buffer;
}

const END = Buffer.from("\n");
export const LONGEST_HEADER = 32_768;

const SHORT_HASH = 16;

export function shortHash(sha256: string): string {
  return sha256.slice(0, SHORT_HASH);
}

/** Writes a record: the header as a line of JSON, the body unchanged, and a line feed. */
export function framed(header: RecordHeader, body: Uint8Array): Uint8Array[] {
  return [Buffer.from(`${JSON.stringify(header)}\n`), body, END];
}

/** Reads the record at the beginning of some bytes; undefined if it is torn or does not match its hash. */
export function unframed(bytes: Buffer): (StagedRecord & { readonly length: number }) | undefined {
  const head = headerOf(bytes);
  if (head === undefined) return undefined;
  const { header, from } = head;
  const length = from + header.bytes + 1;
  if (bytes.length < length || bytes[length - 1] !== END[0]) return undefined;
  const body = bytes.subarray(from, length - 1);
  return hash("sha256", body) === header.sha256 ? { header, body, length } : undefined;
}

/** Reads the header at the beginning of some bytes, and where its body begins; undefined if it is torn. */
export function headerOf(
  bytes: Buffer,
): { readonly header: RecordHeader; readonly from: number } | undefined {
  const end = bytes.subarray(0, LONGEST_HEADER).indexOf(END);
  if (end === -1) return undefined;
  try {
    const header = JSON.parse(bytes.toString("utf8", 0, end)) as RecordHeader;
    return Number.isSafeInteger(header?.bytes) && header.bytes >= 0 ? { header, from: end + 1 } : undefined;
  } catch {
    return undefined;
  }
}
