import { cancellationSignal } from "@temporalio/activity";
import { drainQueue } from "../../../domain/concurrent-work.js";
import { userFailure } from "../../../domain/sync/user-reading.js";
import { namedFailures } from "../../../domain/waiting.js";
import { linkBase } from "../../../lake/sync/journal/report.js";
import { withHeartbeat } from "../../heartbeat.js";
import { startSlice } from "../../slice.js";
import type { SyncDependencies } from "../dependencies.js";
import { readLink } from "./read-link.js";
import { readUser } from "./read-user.js";
import { type LeftLink, type LeftUser, SliceState, sliceInput } from "./slice-state.js";
import type { LinkResult, ReadSliceInput, ReadSliceResult, UserResult } from "./slice-work.js";

/**
 * Reads for some seconds: each user's links and accounts, and at once the pages of the links that were found
 * (docs/inside/architecture.md, "Extract").
 */
export async function readSlice(deps: SyncDependencies, input: ReadSliceInput): Promise<ReadSliceResult> {
  return withHeartbeat(async () => {
    const given = await sliceInput(deps, input);
    // Its time begins only now: a slow disk must not take it all.
    const started = startSlice(deps, input);
    const state = new SliceState(started.slice, input, given);
    try {
      await drainQueue(deps.concurrency, () => {
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
      const { usersRead, reached, notBegun, size } = state;
      const gateUntil = deps.api.pausedUntil ?? null;
      const { calls } = started;
      return { report, usersRead, users, reached, links, size, notBegun, calls, gateUntil, at };
    } finally {
      await state.close();
    }
  });
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
