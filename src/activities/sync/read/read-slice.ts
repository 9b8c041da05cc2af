import { cancellationSignal } from "@temporalio/activity";
import { drainQueue } from "../../../domain/concurrent-work.js";
import type {
  LinkResult,
  ReadSliceInput,
  ReadSliceResult,
  UserResult,
} from "../../../domain/sync/run/slice-work.js";
import { userFailure } from "../../../domain/sync/user-reading.js";
import { namedFailures } from "../../../domain/waiting.js";
import { linkBase } from "../../../lake/sync/journal/report.js";
import { Slice } from "../../slice.js";
import type { SyncDependencies } from "../dependencies.js";
import { readLink } from "./read-link.js";
import { readUser } from "./read-user.js";
import { sliceInput } from "./slice-input.js";
import { SliceState } from "./slice-state.js";

/** Reads users' lists for some seconds, and the links that it finds (docs/inside/rules.md, "Extract"). */
export async function readSlice(deps: SyncDependencies, input: ReadSliceInput): Promise<ReadSliceResult> {
  const given = await sliceInput(deps, input);
  // The slice's time begins here, so that a slow disk does not use it up.
  const slice = new Slice(deps, input);
  const state = new SliceState(slice, input, given);
  try {
    await drainQueue(deps.concurrency, () => {
      cancellationSignal().throwIfAborted();
      const link = state.nextLink();
      if (link !== undefined) return () => readLink(state, link);
      const user = state.nextUser();
      return user && (() => readUser(state, user));
    });
    cancellationSignal().throwIfAborted();
    const report = await state.report();
    const at = Date.now();
    const users = userResults(state, at);
    const links = linkResults(state, at);
    const { usersRead, usersForgotten, reached, notBegun, size, newFields } = state;
    const { sent, gate } = slice;
    const told = newFields.length === 0 ? {} : { newFields };
    return {
      ...{ report, usersRead, users, reached, links, size, notBegun, at },
      ...sent,
      ...gate,
      ...told,
      ...(usersForgotten > 0 && { usersForgotten }),
      ...(deps.worker !== undefined && { worker: deps.worker }),
    };
  } finally {
    await state.close();
  }
}

/** Returns the users whom the slice left open, and logs the outcome of each. */
function userResults({ users, slice, input }: SliceState, at: number): UserResult[] {
  return namedFailures(users, ({ fpId }) => ({ owner: fpId })).map(({ fpId, ...result }) => {
    const { progress, outcome } = result;
    const reason = userFailure(progress, outcome, at);
    const told = reason === undefined ? outcome : ({ kind: "failed", reason } as const);
    slice.deps.warnings.logOutcome(input.runId, { fp_id: fpId }, told, progress.streak, at);
    return { ...result, failed: reason === undefined ? null : fpId };
  });
}

/** Returns the links that the slice left to its run, and logs the outcome of each. */
function linkResults({ links, slice, input }: SliceState, at: number): LinkResult[] {
  return namedFailures(links, ({ found }) => ({ link: found.link_id })).map(({ found, ...result }) => {
    const { outcome, progress } = result;
    const { link_id } = found;
    slice.deps.warnings.logOutcome(input.runId, { link_id }, outcome, progress.streak, at);
    return { ...result, base: linkBase(found) };
  });
}
