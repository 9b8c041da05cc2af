import { createHash } from "node:crypto";
import { csvLine } from "../../lake/csv-line.js";
import type { CipSubject } from "./member.js";

/** The header of `population.csv`. */
export const POPULATION_HEAD = csvLine(["fp_id", "external_id", "risk", "account_closed_on", "legal_hold"]);

/** A member's line of `population.csv`. */
export function populationLine(subject: CipSubject): string {
  const { fpId, externalId, risk, accountClosedOn, legalHold } = subject;
  return csvLine([fpId, externalId, risk, accountClosedOn, legalHold]);
}

/**
 * The population as its pack will have it. Taken before the first call, it proves that nobody was added or left out.
 *
 * @param subjects in the order of `fpId`
 */
export async function populationOf(
  subjects: AsyncIterable<CipSubject> | Iterable<CipSubject>,
): Promise<{ rows: number; sha256: string }> {
  const hash = createHash("sha256").update(POPULATION_HEAD);
  let rows = 0;
  for await (const subject of subjects) {
    hash.update(populationLine(subject));
    rows += 1;
  }
  return { rows, sha256: hash.digest("hex") };
}
