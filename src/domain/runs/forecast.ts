import { counted } from "../words/counted.js";

/** What earlier runs of a kind did, added up; what pages and calls cost is learnt from them. */
export interface PastRuns {
  readonly runs: number;
  /** Users of syncs, rows of other jobs. */
  readonly owners: number;
  readonly calls: number;
  readonly pages: number;
  /** Milliseconds in which they worked, without pauses of the service. */
  readonly workedMs: number;
  /** Bytes of answers that a call brought; null where none of them counted any. */
  readonly bytesEach: number | null;
}

/** Of one bank link, what its last runs say of the next. */
export interface KnownLink {
  /** Why the last run skipped it; null where it was read. */
  readonly skipped: string | null;
  /** Pages of its first reading. */
  readonly firstPages: number | null;
  /** Pages of everything from its beginning on. */
  readonly fullPages: number | null;
  /** Pages that a later reading usually takes. */
  readonly laterPages: number | null;
  /** Pages of what has piled up since its last commit, at the rows of a usual day; 0 where that was last night. */
  readonly piledUp?: number;
}

/** What the nights before say of the next one, besides each link by itself. */
export interface SyncNights {
  /** Calls without pages of transactions that a user costs. */
  readonly lists: number;
  /** By reason: how often a link that was skipped for it was read in the run after that. */
  readonly returns: Readonly<Record<string, number>>;
  /** Links that a run finds for the first time, of users who were known before. */
  readonly arrivals: number;
  /** Bytes of answers that a call brought on nights like the next one, and where links were read whole. */
  readonly bytesEach: { readonly later: number | null; readonly whole: number | null };
  /** How many nights are like the next one, and the calls a user of the cheapest and of the dearest of them. */
  readonly spread: {
    readonly nights: number;
    readonly each: readonly [least: number, most: number] | null;
  };
}

/** Fewer nights say nothing of how far one may be off. */
const FEWEST_NIGHTS = 3;

/** How many calls a job will make. */
export interface Forecast {
  /** Null where no earlier run tells. */
  readonly calls: number | null;
  readonly pages: number | null;
  /** In the bodies of the answers; null where no earlier run tells. */
  readonly bytes: number | null;
  /** Calls between which this night and each of the nights before are; null where too few tell. */
  readonly between: readonly [low: number, high: number] | null;
  /** How many nights `between` is of, or too few for one; null where nights say nothing of this job. */
  readonly nights: number | null;
  /** What the figures are made of, for people. */
  readonly basis: string;
}

/**
 * Forecasts a sync: each user costs lists, each link that is read what its readings usually cost or what has piled up,
 * a link that is new as many pages as a first reading takes, and one that is read in full all of its pages. Of links that
 * the last run skipped, as many come back as did before; of known users, as many new links come as came before.
 *
 * @param known of the users that the lake knows; the others are new. Null where no transactions are asked for
 */
export function syncForecast(
  users: { readonly all: number; readonly isNew: number },
  known: readonly KnownLink[] | null,
  isFull: boolean,
  nights: SyncNights,
): Forecast {
  const { lists, spread, bytesEach } = nights;
  const userCalls = Math.round(users.all * lists);
  const listWords = `${callWords(lists, 1)} a user for its lists`;
  if (known === null)
    return {
      ...{ calls: userCalls, pages: 0, bytes: bytesOf(userCalls, bytesEach.later) },
      ...rangeOf(userCalls, users.all, spread),
      basis: listWords,
    };
  const read = known.filter(({ skipped }) => skipped === null);
  const firsts = known.flatMap(({ firstPages }) => firstPages ?? []);
  const meanFirst = firsts.length === 0 ? null : sum(firsts) / firsts.length;
  const pagesOf = ({ fullPages, laterPages, piledUp = 0 }: KnownLink) =>
    isFull ? (fullPages ?? 1) + piledUp : Math.max(laterPages ?? 1, piledUp);
  const back = known.map(({ skipped }) => (skipped === null ? 0 : (nights.returns[skipped] ?? 0)));
  const returning = sum(known.map((one, at) => (back[at] ?? 0) * pagesOf(one)));
  const arriving = nights.arrivals * (meanFirst ?? 1);
  const knownUsers = users.all - users.isNew;
  const newPages =
    meanFirst === null ? null : (users.isNew * read.length * meanFirst) / Math.max(1, knownUsers);
  if (users.isNew > 0 && (newPages === null || knownUsers === 0))
    return {
      ...{ calls: null, pages: null, bytes: null, between: null, nights: null },
      basis: `${counted(users.isNew, "user is", "users are")} new and no earlier sync tells how many pages their links have: at least ${counted(userCalls, "call")} for their lists`,
    };
  const pages = Math.round(sum(read.map(pagesOf)) + returning + arriving + (newPages ?? 0));
  const calls = userCalls + pages;
  const more = [
    ...(users.isNew === 0
      ? []
      : [`${counted(users.isNew, "new user")}, guessed to be as large as the known ones are on average`]),
    ...some(sum(back), "skipped link that comes back", "skipped links that come back"),
    ...some(nights.arrivals, "new link of known users", "new links of known users"),
  ];
  const words = [counted(read.length, "known link"), ...more].join(" and ");
  const range = rangeOf(calls, users.all, isFull ? null : spread);
  const whole = isFull ? calls : Math.round(users.isNew * lists + (newPages ?? 0) + arriving);
  const bytes = [bytesOf(calls - whole, bytesEach.later), bytesOf(whole, bytesEach.whole)];
  return {
    calls,
    pages,
    bytes: bytes.includes(null) ? null : sum(bytes.map(Number)),
    ...range,
    basis: `${words}, ${listWords}`,
  };
}

/** Between what a night may lie: as the nights before, for as many users, and as it is forecast itself. */
function rangeOf(
  calls: number,
  users: number,
  spread: SyncNights["spread"] | null,
): Pick<Forecast, "between" | "nights"> {
  if (spread === null) return { between: null, nights: null };
  const { nights, each } = spread;
  if (each === null || nights < FEWEST_NIGHTS) return { between: null, nights };
  const [least, most] = each;
  return {
    between: [Math.min(calls, Math.floor(users * least)), Math.max(calls, Math.ceil(users * most))],
    nights,
  };
}

function some(count: number, one: string, many: string): string[] {
  return count < 0.5 ? [] : [`about ${counted(Math.round(count), one, many)}`];
}

/** Calls that one costs on average. */
function callWords(each: number, digits: number): string {
  return counted(Number(each.toFixed(digits)), "call");
}

/**
 * Forecasts a job by rows: each that has to be worked on costs what one did in earlier runs, and all of them no less than
 * the requests that they need. Rows that go together into requests cost these: how many share one follows from the file,
 * not from earlier ones.
 *
 * @param work what is to be done: its rows, the items that they make, and the requests that these need where nothing goes wrong
 */
export function rowsForecast(
  { rows, items, requests }: { readonly rows: number; readonly items: number; readonly requests: number },
  past: PastRuns,
): Forecast {
  const isKnown = past.owners > 0 && past.calls > 0;
  const each = past.calls / Math.max(1, past.owners);
  const learnt = isKnown && items === rows ? Math.ceil(rows * each) : 0;
  const calls = Math.max(requests, learnt);
  const basis =
    rows === 0
      ? "no row needs a call"
      : learnt >= requests
        ? `${callWords(each, 2)} a row, as in ${counted(past.runs, "earlier run")}`
        : `1 call for each request of its rows${isKnown ? "" : ", until a run has shown more"}`;
  return { calls, pages: null, bytes: bytesOf(calls, past.bytesEach), between: null, nights: null, basis };
}

/** Milliseconds that calls take: at the pace of earlier runs, and at the least under a limit of calls a second. */
export function forecastMs(
  calls: number,
  { calls: done, workedMs }: PastRuns,
  rps: number | undefined,
): { readonly at_pace: number | null; readonly at_limit: number | null } {
  return {
    at_pace: done === 0 ? null : Math.round((calls * workedMs) / done),
    at_limit: rps === undefined ? null : Math.round((calls / rps) * 1_000),
  };
}

function bytesOf(calls: number, each: number | null): number | null {
  if (calls === 0) return 0;
  return each === null ? null : Math.round(calls * each);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
