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
}

/** Of one bank link, what its last runs say of the next. */
export interface KnownLink {
  /** Why the last run skipped it; null where it was read. */
  readonly skipped: string | null;
  /** Pages of its first reading. */
  readonly firstPages: number | null;
  /** Pages that a later reading takes, on average. */
  readonly laterPages: number | null;
  /** Pages of what has piled up since its last commit, at the rows of a usual day; 0 where that was last night. */
  readonly piledUp?: number;
}

/** What the nights before say of the next one, besides each link by itself. */
export interface SyncNights {
  /** Calls without pages of transactions that a user costs, the median of nights; null where no night tells. */
  readonly lists: number | null;
  /** By reason: how often a link that was skipped for it was read in the run after that. */
  readonly returns: Readonly<Record<string, number>>;
  /** Links that a run finds for the first time, of users who were known before. */
  readonly arrivals: number;
  /** Calls a user of a slow and of a dear night, as shares of the median; null where too few nights tell. */
  readonly spread: readonly [low: number, high: number] | null;
}

const NO_NIGHTS: SyncNights = { lists: null, returns: {}, arrivals: 0, spread: null };

/** How many calls a job will make. */
export interface Forecast {
  /** Null where no earlier run tells. */
  readonly calls: number | null;
  readonly pages: number | null;
  /** Between which calls eight of ten nights were; null where too few tell. */
  readonly between: readonly [low: number, high: number] | null;
  /** What the figures are made of, for people. */
  readonly basis: string;
}

/** A user's lists, as an answer without pages of links needs them: one of links and one of accounts. */
const LISTS_OF_USER = 2;

/**
 * Forecasts a sync: each user costs lists, each link that is read what its readings cost on average or what has piled up,
 * a link that is new or read in full as many pages as a first reading takes. Of links that the last run skipped, as many
 * come back as did before; of known users, as many new links come as came before.
 *
 * @param known of the users that the lake knows; the others are new
 */
export function syncForecast(
  users: { readonly all: number; readonly isNew: number },
  known: readonly KnownLink[],
  past: PastRuns,
  isFull: boolean,
  nights: SyncNights = NO_NIGHTS,
): Forecast {
  const mean = past.owners === 0 ? LISTS_OF_USER : (past.calls - past.pages) / past.owners;
  const lists = nights.lists ?? mean;
  const read = known.filter(({ skipped }) => skipped === null);
  const firsts = known.flatMap(({ firstPages }) => firstPages ?? []);
  const meanFirst = firsts.length === 0 ? null : sum(firsts) / firsts.length;
  const pagesOf = ({ firstPages, laterPages, piledUp = 0 }: KnownLink) =>
    isFull ? (firstPages ?? 1) : Math.max(laterPages ?? 1, piledUp);
  const back = known.map(({ skipped }) => (skipped === null ? 0 : (nights.returns[skipped] ?? 0)));
  const returning = sum(known.map((one, at) => (back[at] ?? 0) * pagesOf(one)));
  const arriving = nights.arrivals * (meanFirst ?? 1);
  const knownUsers = users.all - users.isNew;
  const newPages =
    meanFirst === null ? null : (users.isNew * read.length * meanFirst) / Math.max(1, knownUsers);
  if (users.isNew > 0 && (newPages === null || knownUsers === 0))
    return {
      ...{ calls: null, pages: null, between: null },
      basis: `${counted(users.isNew, "user is", "users are")} new and no earlier sync tells how many pages their links have: at least ${Math.round(users.all * lists)} calls for their lists`,
    };
  const pages = Math.round(sum(read.map(pagesOf)) + returning + arriving + (newPages ?? 0));
  const calls = Math.round(users.all * lists) + pages;
  const [low, high] = nights.spread ?? [];
  const between =
    low === undefined || high === undefined || isFull
      ? null
      : ([Math.floor(calls * low), Math.ceil(calls * high)] as const);
  const more = [
    ...(users.isNew === 0 ? [] : [`${users.isNew} new users, as large as the known ones`]),
    ...some(sum(back), "skipped links that come back"),
    ...some(nights.arrivals, "new links of known users"),
  ];
  const words = [`${read.length} known links`, ...more].join(" and ");
  return { calls, pages, between, basis: `${words}, ${lists.toFixed(1)} calls a user for its lists` };
}

function some(count: number, words: string): string[] {
  return count < 0.5 ? [] : [`about ${Math.round(count)} ${words}`];
}

/**
 * Forecasts a job by rows: each that has to be worked on costs what one did in earlier runs, and all of them no less than
 * the requests that they need.
 *
 * @param work what is to be done: its rows, and the requests that they need where nothing goes wrong
 */
export function rowsForecast(
  work: { readonly rows: number; readonly requests: number },
  past: PastRuns,
): Forecast {
  const isKnown = past.owners > 0 && past.calls > 0;
  const each = past.calls / Math.max(1, past.owners);
  const calls = Math.max(work.requests, isKnown ? Math.ceil(work.rows * each) : 0);
  const learnt = `${each.toFixed(2)} calls a row, as in ${counted(past.runs, "earlier run")}`;
  const basis = isKnown ? learnt : "1 call for each request, until a run has shown more";
  return { calls, pages: null, between: null, basis };
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
