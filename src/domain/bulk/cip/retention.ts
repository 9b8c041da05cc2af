import { type RetentionRules, yearsLater } from "../../tables/retention.js";

/** 31 CFR 1020.220(a)(3)(ii) and 1023.220(a)(3)(ii) (docs/use/exports.md, "Retention"). */
const CLASSES = {
  identity: {
    record_class: "(A) identifying information",
    basis: "31 CFR 1020.220(a)(3)(ii), 1023.220(a)(3)(ii): five years after the account is closed",
    start_event: "the account is closed",
  },
  records: {
    record_class: "(B)–(D) documents, methods and results, resolution of discrepancies",
    basis: "31 CFR 1020.220(a)(3)(ii), 1023.220(a)(3)(ii): five years after the record is made",
    start_event: "the record is made",
  },
} as const;

/** By law; an institution may keep records for longer. */
const LEAST_YEARS = 5;

function yearsOf(rules: RetentionRules) {
  return {
    identity: rules["cip-identity"] ?? LEAST_YEARS,
    records: rules["cip-results"] ?? LEAST_YEARS,
  };
}

interface Kept {
  /** ISO day; null while the account is open. */
  readonly accountClosedOn: string | null;
  /** Null for unknown. */
  readonly legalHold: boolean | null;
  /** ISO instant of the record; null for none. */
  readonly madeAt: string | null;
}

/** The first days on which records may be purged; null for never. */
export interface PurgeDays {
  readonly identity: string | null;
  readonly records: string | null;
  readonly note: string | null;
}

/** A legal hold wins; an open account has no day. */
export function purgeDays(
  { accountClosedOn, legalHold, madeAt }: Kept,
  rules: RetentionRules = {},
): PurgeDays {
  const years = yearsOf(rules);
  if (legalHold === null) return { identity: null, records: null, note: "not known" };
  if (legalHold) return { identity: null, records: null, note: "legal hold" };
  return {
    identity: accountClosedOn && yearsLater(accountClosedOn, years.identity),
    records: madeAt && yearsLater(madeAt.slice(0, 10), years.records),
    note: accountClosedOn === null ? "account open" : null,
  };
}

/** A pack is kept as long as its longest member. */
export class PackRetention {
  #identity = "";
  #records = "";
  #open = 0;
  #onHold = 0;

  add({ identity, records, note }: PurgeDays): void {
    if (note === "legal hold") this.#onHold += 1;
    else if (identity === null) this.#open += 1;
    if (identity !== null && identity > this.#identity) this.#identity = identity;
    if (records !== null && records > this.#records) this.#records = records;
  }

  /** When all of a class may be purged; null where a member has no day. */
  summary(rules: RetentionRules = {}) {
    const years = yearsOf(rules);
    const onHold = this.#onHold;
    const without = this.#open + onHold;
    const dayOf = (day: string, members_without_a_day: number) => {
      return { earliest_purge: members_without_a_day > 0 ? null : day || null, members_without_a_day };
    };
    return {
      classes: [
        { ...CLASSES.identity, years: years.identity, ...dayOf(this.#identity, without) },
        { ...CLASSES.records, years: years.records, ...dayOf(this.#records, onHold) },
      ],
      open_accounts: this.#open,
      legal_holds: onHold,
    };
  }
}
