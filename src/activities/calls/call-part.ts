import type { CallOptions } from "../../api/http/client.js";
import type { Operation, ParamsOf, ResponseOf } from "../../api/operations/operation.js";
import type { Dependencies } from "../dependencies.js";
import type { SealedRequest } from "./sealed-request.js";
import type { Settlement } from "./settlement.js";

/** What a workflow is told of an answer: ids, statuses, counts, sizes; nothing personal, nothing secret. */
export type CallFacts = Readonly<Record<string, string | number | boolean | null>>;

/** Where a call is made. */
export interface CallPlace {
  readonly deps: Dependencies;
  readonly run: string;
  /** Staging prefix of the call. */
  readonly prefix: string;
  readonly request: SealedRequest;
}

/** How one operation is an activity. */
export interface CallPart<O extends Operation, A, F extends CallFacts> {
  readonly operation: O;
  /** How a lost answer of this request is settled; of every operation that is not idempotent. */
  readonly settle?: (place: CallPlace, params: ParamsOf<O>) => Settlement<ParamsOf<O>, A>;
  /** Makes the call and gives what is kept of its answer; left out: the parsed body. */
  readonly send?: (place: CallPlace, params: ParamsOf<O>, options: CallOptions) => Promise<A>;
  readonly facts: (answer: A, params: ParamsOf<O>) => F;
}

/** Declares how an operation whose parsed body is kept is an activity. */
export function callPart<O extends Operation, F extends CallFacts>(
  part: Omit<CallPart<O, ResponseOf<O>, F>, "send">,
): CallPart<O, ResponseOf<O>, F> {
  return part;
}

/** Declares how an operation of whose answer something else is kept is an activity. */
export function shapedCallPart<O extends Operation, A, F extends CallFacts>(
  part: CallPart<O, A, F> & Required<Pick<CallPart<O, A, F>, "send">>,
): CallPart<O, A, F> {
  return part;
}
