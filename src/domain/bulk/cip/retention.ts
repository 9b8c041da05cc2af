/** How long something must be kept: counted from an event, in years. */
interface RetentionRule {
  readonly record_class: string;
  readonly basis: string;
  readonly start_event: string;
  readonly years: number;
}

/** 31 CFR 1020.220(a)(3)(ii) and 1023.220(a)(3)(ii), by what is kept (docs/use/exports.md, "Retention"). */
const RETENTION_RULES = {
  identity: {
    record_class: "(A) identifying information",
    basis: "31 CFR 1020.220(a)(3)(ii), 1023.220(a)(3)(ii): five years after the account is closed",
    start_event: "the account is closed",
    years: 5,
  },
  records: {
    record_class: "(B)–(D) documents, methods and results, resolution of discrepancies",
    basis: "31 CFR 1020.220(a)(3)(ii), 1023.220(a)(3)(ii): five years after the record is made",
    start_event: "the record is made",
    years: 5,
  },
} as const satisfies Readonly<Record<string, RetentionRule>>;

/** What decides how long a user's records are kept. */
interface Kept {
  /** ISO day; null while the account is open. */
  readonly accountClosedOn: string | null;
  /** Null where nobody knows. */
  readonly legalHold: boolean | null;
  /** ISO instant at which the record was made; null where there is none. */
  readonly madeAt: string | null;
}

/** The first days on which a user's records may be purged; null where no day can be said. */
export interface PurgeDays {
  readonly identity: string | null;
  readonly records: string | null;
  /** Why there is no day. */
  readonly note: string | null;
}

/** When a user's records may be purged at the earliest. A legal hold wins; an open account has no day. */
export function purgeDays({ accountClosedOn, legalHold, madeAt }: Kept): PurgeDays {
  if (legalHold === null) return { identity: null, records: null, note: "not known" };
  if (legalHold) return { identity: null, records: null, note: "legal hold" };
  return {
    identity: accountClosedOn && yearsLater(accountClosedOn, RETENTION_RULES.identity.years),
    records: madeAt && yearsLater(madeAt.slice(0, 10), RETENTION_RULES.records.years),
    note: accountClosedOn === null ? "account open" : null,
  };
}

/** The same day so many years later; March 1 where there is no February 29. */
function yearsLater(day: string, years: number): string {
  const year = String(Number(day.slice(0, 4)) + years).padStart(4, "0");
  const at = new Date(`${year}-${day.slice(5, 7)}-01T00:00:00Z`);
  at.setUTCDate(Number(day.slice(8, 10)));
  return at.toISOString().slice(0, 10);
}

/** The retention of one class of records over a whole pack. */
interface ClassRetention extends RetentionRule {
  /** When all of the class may be purged; null where one member has no such day. */
  readonly earliest_purge: string | null;
  readonly members_without_a_day: number;
}

/** Sums up the days of every member: a pack is kept as long as the longest of them. */
export class PackRetention {
  #identity: string | null = null;
  #records: string | null = null;
  #open = 0;
  #held = 0;

  add(days: PurgeDays): void {
    if (days.note === "legal hold") this.#held += 1;
    else if (days.identity === null) this.#open += 1;
    this.#identity = later(this.#identity, days.identity);
    this.#records = later(this.#records, days.records);
  }

  /** What the manifest says. */
  summary(): { classes: ClassRetention[]; open_accounts: number; legal_holds: number } {
    const unsaid = this.#open + this.#held;
    return {
      classes: [
        {
          ...RETENTION_RULES.identity,
          earliest_purge: unsaid > 0 ? null : this.#identity,
          members_without_a_day: unsaid,
        },
        {
          ...RETENTION_RULES.records,
          earliest_purge: this.#held > 0 ? null : this.#records,
          members_without_a_day: this.#held,
        },
      ],
      open_accounts: this.#open,
      legal_holds: this.#held,
    };
  }
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? b : a;
}
