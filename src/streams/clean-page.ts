import { formOf, rawMembers, rawParts } from "../domain/json/text.js";
import type { BadRow, CleanedPage } from "../lake/sync/journal/journal.js";
import { withOtherFields } from "./other-fields.js";
import { exactText, type PageReading, type RowProblem } from "./page-reading.js";
import { EnvelopeError, rawValue, repeatsKeyAlong, replaceLoneSurrogates } from "./raw-json.js";
import type { Listing } from "./stream.js";

const TWICE = "a key appears twice";
/** Nesting of a row that is accepted. */
const DEEPEST = 2_000;

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
  const reasons = new Map<string, string>();
  for (const { list, index, reason } of [...reading.problems, ...further]) {
    reasons.set(`${list} ${index}`, reason);
  }
  const bad: BadRow[] = [];
  const outer = outerOf(listing);
  if (repeatsKeyAlong(reading.text, outer)) throw new EnvelopeError(outer.join("."), TWICE);
  const members = rawMembers(rawValue(reading.text, outer) ?? "");
  const lists = listing.lists.map((list) => {
    const rows = [...rawParts(members.get(list.path.at(-1) ?? "") ?? "")];
    return rows.map(([, text], index) => {
      const { repeatsKey, depth } = formOf(text);
      if (depth > DEEPEST) throw new EnvelopeError("", "nested too deep");
      const reason = reasons.get(`${list.name} ${index}`) ?? (repeatsKey ? TWICE : undefined);
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
  return rawValue(text, outerOf(listing));
}

/** The path of the value that holds all the lists. */
function outerOf({ lists: [first] }: Listing): readonly string[] {
  return first?.path.slice(0, -1) ?? [];
}

function nest(listing: Listing, lists: readonly (readonly string[])[]): string {
  const members = listing.lists.map(
    (list, at) => `${JSON.stringify(list.path.at(-1))}:[${lists[at]?.join(",")}]`,
  );
  const inner = `{${members.join(",")}}`;
  return outerOf(listing).reduceRight((text, key) => `{${JSON.stringify(key)}:${text}}`, inner);
}
