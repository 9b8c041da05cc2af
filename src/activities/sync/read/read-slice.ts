import { cancellationSignal } from "@temporalio/activity";
import { drainQueue } from "../../../domain/concurrent-work.js";
import type { ReadSliceInput, ReadSliceResult } from "../../../domain/sync/run/slice-work.js";
import { Slice } from "../../slice.js";
import type { SyncDependencies } from "../dependencies.js";
import { readLink } from "./read-link.js";
import { readUser } from "./read-user.js";
import { sliceInput } from "./slice-input.js";
import { SliceState } from "./slice-state.js";

/** Reads users' lists for some seconds, and the links that it finds (docs/inside/rules.md, "Extract"). */
export async function readSlice(deps: SyncDependencies, input: ReadSliceInput): Promise<ReadSliceResult> {
  const given = await sliceInput(deps, input);
  // Here, so that a slow disk does not use its time up.
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
    const { usersRead, usersForgotten, users, failed, links, unauthorized, reached, notBegun, size } = state;
    return {
      ...{ report, usersRead, users, failed, reached, links, unauthorized, size, notBegun, at: Date.now() },
      ...slice.sent,
      ...slice.gate,
      ...(state.newFields.length > 0 && { newFields: state.newFields }),
      ...(usersForgotten > 0 && { usersForgotten }),
      ...(deps.worker !== undefined && { worker: deps.worker }),
    };
  } finally {
    await state.close();
  }
}
