import { parseDuration } from "../duration.js";

/** `--fail-on`. */
export interface FailRules {
  readonly quarantine: boolean;
  readonly skipped: boolean;
  readonly idConflicts: boolean;
  /** Any link that was not read to its end for longer. */
  readonly staleMs: number | null;
  readonly stale: string | null;
}

export const FAIL_RULES = "quarantine, skipped, id-conflicts and 'stale>3d', separated by commas";

/** Reads rules; gives a wrong word back. */
export function parseFailRules(text: string): FailRules | { readonly wrong: string } {
  let rules: FailRules = {
    quarantine: false,
    skipped: false,
    idConflicts: false,
    staleMs: null,
    stale: null,
  };
  for (const word of text.split(",").map((part) => part.trim())) {
    const [, time] = /^stale>(.+)$/.exec(word) ?? [];
    const staleMs = time === undefined ? undefined : parseDuration(time);
    if (staleMs !== undefined) rules = { ...rules, staleMs, stale: word };
    else if (word === "quarantine" || word === "skipped") rules = { ...rules, [word]: true };
    else if (word === "id-conflicts") rules = { ...rules, idConflicts: true };
    else return { wrong: word };
  }
  return rules;
}

interface RunFindings {
  readonly open: { readonly rows: number; readonly owners: readonly string[] };
  readonly skipped: readonly string[];
  readonly idConflicts: readonly string[];
  readonly stale: readonly string[];
}

export interface BrokenRule {
  readonly rule: string;
  readonly count: number;
  /** The first ten: ids of links, or of users for rows of their lists. */
  readonly owners: readonly string[];
  readonly owners_total: number;
}

const MOST_NAMED = 10;

/** Finds the rules that a run broke. Pure. */
export function brokenRules(
  rules: FailRules,
  { open, skipped, idConflicts, stale }: RunFindings,
): BrokenRule[] {
  const judged: readonly (readonly [string | false | null, number, readonly string[]])[] = [
    [rules.quarantine && "quarantine", open.rows, open.owners],
    [rules.stale, stale.length, stale],
    [rules.skipped && "skipped", skipped.length, skipped],
    [rules.idConflicts && "id-conflicts", idConflicts.length, idConflicts],
  ];
  return judged.flatMap(([rule, count, owners]) =>
    rule && count > 0
      ? [{ rule, count, owners: owners.slice(0, MOST_NAMED), owners_total: owners.length }]
      : [],
  );
}
