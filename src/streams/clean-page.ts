import { formOf } from "../domain/json/text.js";
import type { BadRow, CleanedPage } from "../lake/sync/journal/journal.js";
import { withOtherFields } from "./other-fields.js";
import { exactText, type PageReading, type RowProblem } from "./page-reading.js";
import { EnvelopeError, RawJson, replaceLoneSurrogates } from "./raw-json.js";
import type { Listing } from "./stream.js";

const TWICE = "a key appears twice";

/**
 * Cuts the bad rows out of a page, and gathers fields that no column has. Keeps only the lists, with `null` for a bad row,
 * so that every other row keeps its index. Rows with a repeated key, which DuckDB refuses, are bad.
 * @throws EnvelopeError when the envelope repeats a key
 */
export function cleanPage(
  listing: Listing,
  reading: PageReading,
  further: readonly RowProblem[] = [],
): CleanedPage {
  const raw = new RawJson(reading.text);
  const reasons = new Map<string, string>();
  for (const { list, index, reason } of [...reading.problems, ...further]) {
    reasons.set(`${list} ${index}`, reason);
  }
  const bad: BadRow[] = [];
  const lists = listing.lists.map((list) => {
    const path = list.path.slice(0, -1);
    if (raw.repeatsKeyAlong(path)) throw new EnvelopeError(path.join("."), TWICE);
    return raw.elements(list.path).map((text, index) => {
      const reason = reasons.get(`${list.name} ${index}`) ?? (formOf(text).repeatsKey ? TWICE : undefined);
      if (reason === undefined) {
        const good = replaceLoneSurrogates(text);
        return list.fields === undefined ? good : exactText(listing, withOtherFields(good, list.fields));
      }
      bad.push({ list: list.name, index, reason, payload: text });
      return "null";
    });
  });
  return { clean: nest(listing, lists), bad };
}

/** Finds the value that holds all the lists. */
export function deliveredText(listing: Listing, text: string): string | undefined {
  const path = listing.lists[0]?.path.slice(0, -1) ?? [];
  return new RawJson(text).slice(path);
}

function nest(listing: Listing, lists: readonly (readonly string[])[]): string {
  const members = listing.lists.map(
    (list, at) => `${JSON.stringify(list.path.at(-1))}:[${lists[at]?.join(",")}]`,
  );
  const inner = `{${members.join(",")}}`;
  const outer = listing.lists[0]?.path.slice(0, -1) ?? [];
  return outer.reduceRight((text, key) => `{${JSON.stringify(key)}:${text}}`, inner);
}
