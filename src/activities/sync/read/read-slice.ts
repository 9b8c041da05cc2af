import { cancellationSignal } from "@temporalio/activity";
import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import type { Place } from "../../../domain/sync/place.js";
import { type UserOutcome, type UserProgress, userFailure } from "../../../domain/sync/user-reading.js";
import { type NamedFailure, namedFailures } from "../../../domain/waiting.js";
import { drainQueue } from "../../../domain/work-queue.js";
import { withHeartbeat } from "../../heartbeat.js";
import { LANES_PER_CALL, startSlice } from "../../slice.js";
import type { SyncDependencies } from "../dependencies.js";
import { linkBase, readLink } from "./read-link.js";
import { readUser } from "./read-user.js";
import { type BegunLink, openSlice } from "./slice-state.js";

/** Users of the frozen roster: from one index up to another. */
export interface UserRange {
  readonly from: number;
  readonly to: number;
}

/** Links that a report found and no slice has begun, by their numbers in it. */
export interface WaitingLinks {
  readonly report: Place;
  readonly from: number;
  readonly to: number;
}

/** A link that a slice has begun and not ended. */
export interface OpenLinkProgress {
  /** Of the link's record. */
  readonly link: Place;
  readonly progress: LinkProgress;
}

/** What a slice takes up. */
export interface SliceWork {
  readonly links: readonly OpenLinkProgress[];
  readonly waiting: readonly WaitingLinks[];
  /** Users who were asked for before. */
  readonly users: readonly UserProgress[];
  readonly fresh: UserRange | null;
}

export interface ReadSliceInput extends SliceWork {
  readonly runId: string;
  /** Number of the slice in its run: its attempts find each other's journals by it. */
  readonly slice: number;
  /** Users in one file of the frozen roster. */
  readonly groupSize: number;
  /** Names of the streams that the run reads. */
  readonly streams: readonly string[];
  /** Only these links, or all. */
  readonly only: readonly string[] | null;
  /** Whether every link is read from no cursor. */
  readonly full: boolean;
  /** Size of pages that links are begun with; null leaves the parameter away. */
  readonly size: number | null;
  /** Milliseconds after which no further page is asked for. */
  readonly budgetMs: number;
}

/** A user who was not read to the end. */
export interface UserResult {
  readonly progress: UserProgress;
  readonly outcome: UserOutcome;
  /** Whose failure it is; null for all others, so that no history holds people in bulk. */
  readonly failed: string | null;
  /** Of the first users whose pages could not be read, and are asked for again. */
  readonly failure?: NamedFailure;
}

/** A link that was begun and is not in the report. */
export interface LinkResult extends OpenLinkProgress {
  /** The committed cursor, and whether anything of the link was ever committed. */
  readonly base: { readonly cursor: string | null; readonly known: boolean };
  readonly outcome: LinkOutcome;
  /** Of the first links that failed and are tried again. */
  readonly failure?: NamedFailure;
}

/** A slice's report, and what its run counts of it. */
export interface ReportRef {
  readonly place: Place;
  /** Slices whose journals it refers to. */
  readonly slices: readonly number[];
  /** Links with nothing to load. */
  readonly quiet: number;
  readonly finished: {
    readonly links: number;
    readonly pages: number;
    readonly entries: number;
    readonly bytes: number;
  };
  readonly waiting: number;
}

export interface ReadSliceResult {
  /** Null where the slice has nothing to hand on in bulk. */
  readonly report: ReportRef | null;
  /** Users who were read to their end. */
  readonly usersRead: number;
  readonly users: readonly UserResult[];
  /** The first of the fresh users whom time did not suffice for, or the end of their range. */
  readonly reached: number;
  readonly links: readonly LinkResult[];
  /** How many of the given waiting links were not begun: the last ones. */
  readonly notBegun: number;
  readonly calls: number;
  /** Epoch milliseconds until which the service asked for no calls at all. */
  readonly gateUntil: number | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/**
 * Reads for some seconds: each user's links and accounts, and at once the pages of the links that were found
 * (docs/architecture.md, "Extract").
 */
export async function readSlice(deps: SyncDependencies, input: ReadSliceInput): Promise<ReadSliceResult> {
  const started = startSlice(deps, input);
  return withHeartbeat(async () => {
    const state = await openSlice(started.slice, input);
    try {
      await drainQueue(LANES_PER_CALL * deps.concurrency, () => {
        const link = state.nextLink();
        if (link !== undefined) return () => readLink(state, link);
        const user = state.nextUser();
        return user && (() => readUser(state, user));
      });
      cancellationSignal().throwIfAborted();
      const report = await state.report();
      const at = Date.now();
      const users = toldUsers(deps, input, state.users, at);
      const links = toldLinks(deps, input, state.links, at);
      const { usersRead, reached, notBegun } = state;
      const gateUntil = deps.api.gateUntil ?? null;
      return { report, usersRead, users, reached, links, notBegun, calls: started.calls, gateUntil, at };
    } finally {
      await state.close();
    }
  });
}

/** A user as a slice leaves them. */
export interface LeftUser {
  readonly fpId: string;
  readonly progress: UserProgress;
  readonly outcome: UserOutcome;
}

function toldUsers(
  deps: SyncDependencies,
  { runId }: ReadSliceInput,
  users: readonly LeftUser[],
  at: number,
): UserResult[] {
  return namedFailures(users, ({ fpId }) => ({ owner: fpId })).map(({ fpId, ...result }) => {
    const { progress, outcome } = result;
    const reason = userFailure(progress, outcome, at);
    const told = reason === undefined ? outcome : ({ kind: "failed", reason } as const);
    deps.warnings.fares(runId, { fp_id: fpId }, told, progress.streak, at);
    return { ...result, failed: reason === undefined ? null : fpId };
  });
}

/** A link as a slice leaves it. */
export interface LeftLink extends BegunLink {
  readonly link: Place;
  readonly outcome: LinkOutcome;
}

function toldLinks(
  deps: SyncDependencies,
  { runId }: ReadSliceInput,
  links: readonly LeftLink[],
  at: number,
): LinkResult[] {
  return namedFailures(links, ({ found }) => ({ link: found.link_id })).map(({ found, ...result }) => {
    deps.warnings.fares(runId, { link_id: found.link_id }, result.outcome, result.progress.streak, at);
    return { ...result, base: linkBase(found) };
  });
}
