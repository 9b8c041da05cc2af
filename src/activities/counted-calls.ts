import { readAnswer } from "../api/http/answer.js";
import type { ApiClient, CallOptions } from "../api/http/client.js";
import { ApiError, NotSentError } from "../api/http/errors.js";
import type { Dependencies } from "./dependencies.js";

export interface CountedCalls<D extends Dependencies> {
  readonly deps: D;
  readonly calls: number;
  /** Whether calls waited for a place until it was too late for them, and none was sent. */
  readonly foundNoPlace: boolean;
}

/** Counts the requests that one activity sends, failed ones too. No error message may quote what is `withheld`. */
export function countedCalls<D extends Dependencies>(deps: D, withheld?: unknown): CountedCalls<D> {
  let calls = 0;
  let unplaced = 0;
  const own = (options: CallOptions = {}) => (withheld === undefined ? options : { ...options, withheld });
  const counted = async <R>(call: Promise<R>): Promise<R> => {
    try {
      const answer = await call;
      calls += 1;
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.sent) calls += 1;
      if (error instanceof NotSentError && error.until === undefined) unplaced += 1;
      throw error;
    }
  };
  const { api } = deps;
  const client: ApiClient = {
    call: (operation, params, options) => counted(api.call(operation, params, own(options))),
    download: (operation, params, sink, options) =>
      counted(api.download(operation, params, sink, own(options))),
    read: async (operation, params, options) =>
      readAnswer(operation, await counted(api.call(operation, params, own(options)))),
    close: () => api.close(),
    get requestsSent() {
      return api.requestsSent;
    },
    get pausedUntil() {
      return api.pausedUntil;
    },
    get learnedLimit() {
      return api.learnedLimit;
    },
    get clockAheadMs() {
      return api.clockAheadMs;
    },
  };
  return {
    deps: { ...deps, api: client },
    get calls() {
      return calls;
    },
    get foundNoPlace() {
      return calls === 0 && unplaced > 0;
    },
  };
}
