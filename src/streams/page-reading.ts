import { isAscii, isUtf8 } from "node:buffer";
import { rowProblem } from "../api/schemas/row-check.js";
import { withExactNumbers, withFieldsAsText } from "../domain/json/text.js";
import { withoutExponent } from "../domain/service/transaction-values.js";
import { EnvelopeError, mayHoldSurrogates } from "./raw-json.js";
import { findUnknown } from "./row-shape.js";
import type { Listing, RowList } from "./stream.js";

/** Its text is cut out only when the page is cleaned. */
export interface RowProblem {
  readonly list: string;
  readonly index: number;
  readonly reason: string;
}

export interface PageReading {
  /** Numbers that must be exact are texts in it. */
  readonly envelope: unknown;
  /** As it came. */
  readonly text: string;
  readonly problems: readonly RowProblem[];
  /** Of each list, bad ones included. */
  readonly entries: readonly number[];
  /** Of all good rows. */
  readonly unknownFields: ReadonlySet<string>;
  /** Confidences that are not numbers. */
  readonly unreadableScores: number;
  /** SQL must not read it as it is: bad rows, unknown fields, amounts as numbers, or text that DuckDB would refuse. */
  readonly needsCleaning: boolean;
}

/**
 * Judges a response row by row (docs/inside/rules.md, "Staging").
 * @throws SyntaxError when the body is torn: request it again.
 * @throws EnvelopeError when the envelope breaks the contract: the owner fails.
 */
export function readPage(listing: Listing, body: Buffer): PageReading {
  // It can be copied instead of decoded.
  const ascii = isAscii(body);
  const isBroken = !(ascii || isUtf8(body));
  // Half of a surrogate pair is U+FFFD in text and no id: so is a byte that is not UTF-8, or two ids would be one.
  const text = isBroken
    ? body.toString("utf8").replaceAll("\ufffd", "\udc00")
    : body.toString(ascii ? "latin1" : "utf8");
  const read = judged(listing, listing.exactNumbers === "by value" ? exactText(listing, text) : text);
  // Few services give amounts as numbers, so only a page with bad rows is searched for them.
  const exact = read.problems.length === 0 ? text : exactText(listing, text);
  const hasNumbers = listing.exactNumbers !== "by value" && exact !== text;
  const rows = hasNumbers ? judged(listing, exact) : read;
  const isOdd = rows.problems.length + rows.unknownFields.size > 0 || hasNumbers;
  return { ...rows, text, needsCleaning: isOdd || mayHoldSurrogates(body) || isBroken };
}

/** @param json with amounts as texts, perhaps */
function judged(listing: Listing, json: string): Omit<PageReading, "text" | "needsCleaning"> {
  const envelope: unknown = JSON.parse(json);
  const judged = listing.operation.response.safeParse(envelope);
  if (!judged.success) {
    const issue = judged.error.issues[0];
    throw new EnvelopeError(issue?.path.join(".") ?? "", issue?.message ?? "not as the contract says");
  }
  const problems: RowProblem[] = [];
  const entries: number[] = [];
  const unknownFields = new Set<string>();
  let unreadableScores = 0;
  for (const list of listing.lists) {
    const rows = rowsAt(envelope, list);
    entries.push(rows.length);
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index];
      const reason = rowProblem(list.row, row);
      if (reason !== undefined) problems.push({ list: list.name, index, reason });
      else if (list.fields !== undefined) {
        findUnknown(row as object, list.fields, unknownFields);
        unreadableScores += list.unreadableScores?.(row) ?? 0;
      }
    }
  }
  return { envelope, problems, entries, unknownFields, unreadableScores };
}

/** Makes texts of numbers that must be exact. */
export function exactText({ exactNumbers }: Pick<Listing, "exactNumbers">, json: string): string {
  if (exactNumbers === undefined) return json;
  if (exactNumbers === "by value") return withExactNumbers(json, exactNumbers);
  return withFieldsAsText(json, exactNumbers, withoutExponent);
}

export function rowsAt(envelope: unknown, list: RowList): readonly unknown[] {
  let value = envelope;
  for (const key of list.path) value = (value as Record<string, unknown>)[key];
  return value as readonly unknown[];
}
