import { ApplicationFailure, cancellationSignal } from "@temporalio/activity";
import type { CallOptions, ClientToken } from "../../api/http/call-options.js";
import {
  AnotherSubjectError,
  ApiError,
  isRefusal,
  isUseless,
  RejectedError,
  SchemaError,
  TransientError,
} from "../../api/http/errors.js";
import { isWrite, type Operation, type ParamsOf, type ResponseOf } from "../../api/operations/operation.js";
import { triesOf, USELESS_ANSWER, USELESS_RETRY, waitAfter } from "../../domain/backoff.js";
import type { AnsweredCall } from "../../domain/calls/answered-call.js";
import { FAILURE_TYPES, UNRESOLVED_REQUEST } from "../../domain/failures.js";
import type { Dependencies } from "../dependencies.js";
import { LostAnswerError } from "../failure.js";
import { CallRecord, type KeptAnswer } from "./call-record.js";
import { ageOf, believedMissingAfter, type Finding, lostCall, type Resolution } from "./lost-call.js";

/** Milliseconds that a call may wait to start; after that it gives its place to others and is tried later. */
const START_WITHIN_MS = 120_000;

/** Milliseconds between two looks for an effect whose absence proves nothing: as long as it was looked for so far. */
const LOOK_AFTER_MS = 10_000;
const MOST_BETWEEN_LOOKS_MS = 300_000;

type SurePlan<P, A> = Exclude<Finding<P, A>, { readonly unsureForMs: number }>;

export interface OnceCall<O extends Operation, A = ResponseOf<O>> {
  readonly operation: O;
  readonly params: ParamsOf<O>;
  /** Staging prefix of this one call, ending in `/`: a repetition with the same prefix gets its answer. */
  readonly key: string;
  /** How a lost answer is resolved; needed where the operation is not idempotent. */
  readonly resolution?: Resolution<ParamsOf<O>, A>;
  readonly clientToken?: ClientToken;
  /** The run that it belongs to: after the run's first 401 or 403 none of its calls starts any more. */
  readonly run?: string;
  /** Makes the call and returns what is kept of its answer; left out: the parsed body. */
  readonly send?: (params: ParamsOf<O>, options: CallOptions) => Promise<A>;
  /** Judges an answer before it is kept: one that it throws for is never used. */
  readonly accept?: (answer: A) => Promise<void>;
  /** Epoch milliseconds after which no request leaves any more; left out: after {@link START_WITHIN_MS}. */
  readonly notAfter?: number;
}

/**
 * Makes a call whose answer is kept, sealed, in the staging area, so that it takes effect once however often the
 * activity is repeated. Runs inside an activity.
 *
 * @throws LostAnswerError when an earlier request may have taken effect and nothing tells whether it did.
 * @throws ApplicationFailure of type TransientError while it is too early to say that a lost request had no effect,
 * or after an answer that says nothing of it.
 * @throws ApiError, InputError of the call itself.
 */
export async function callOnce<O extends Operation, A = ResponseOf<O>>(
  deps: Dependencies,
  call: OnceCall<O, A>,
): Promise<AnsweredCall<A>> {
  const record = await CallRecord.open(deps.sealed, call.key, call.operation.name);
  const kept = await record.answer<A>();
  if (kept !== undefined) return answered(kept, "found");
  const keep = async (body: A, repeated: AnsweredCall<A>["repeated"]) => {
    await call.accept?.(body);
    return answered(await record.putAnswer(body), repeated);
  };
  const plan = await planOf(deps, call, record);
  if ("found" in plan) return keep(plan.found, "settled");
  try {
    const body = await send(deps, call, plan.missing, record);
    return await keep(plan.complete?.(body) ?? body, "no");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const effect = await effectIn(call, record, error);
    if (effect !== undefined) return keep(effect.found, "settled");
    throw await failureOf(call, record, error);
  }
}

function answered<A>(
  { body, at, asked }: KeptAnswer<A>,
  repeated: AnsweredCall<A>["repeated"],
): AnsweredCall<A> {
  return { body, at, asked, repeated };
}

/** Plans what to send, after what earlier attempts have sent. */
async function planOf<O extends Operation, A>(
  deps: Dependencies,
  { operation, params, resolution }: OnceCall<O, A>,
  record: CallRecord,
): Promise<SurePlan<ParamsOf<O>, A>> {
  const { earlier } = record;
  const [first] = earlier;
  if (first === undefined || resolution?.rule === "again") return { missing: params };
  if (resolution?.rule !== "lookup") throw new LostAnswerError(operation.name, first.at);
  const storeTime = await record.storeTime();
  const finding = await lookedUp(operation, record, first.at, () =>
    resolution.find(lostCall(operation, first, storeTime)),
  );
  if ("found" in finding) return finding;
  if ("unsureForMs" in finding) {
    const since = await record.unsureFor();
    const left = finding.unsureForMs - since;
    if (left <= 0) throw new LostAnswerError(operation.name, first.at);
    const wait = Math.min(left, MOST_BETWEEN_LOOKS_MS, Math.max(LOOK_AFTER_MS, since));
    throw lookAgain(operation, wait, Date.now() + left);
  }
  const youngest = Math.min(...earlier.map((intent) => ageOf(intent, storeTime, deps)));
  const wait = believedMissingAfter(operation, params) - youngest;
  if (wait <= 0) return finding;
  throw lookAgain(operation, wait);
}

/** @param givesUpAt epoch milliseconds; left out where the request is sent again then */
function lookAgain({ name }: Operation, wait: number, givesUpAt?: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.transient,
    message:
      `${name}: the answer to an earlier request was lost, and its effect can't be found yet. Nothing was sent; ` +
      "it is looked for again, and the request is sent again once it is certain that it had no effect",
    nextRetryDelay: wait,
    details: [{ operation: name, sent: false, reason: UNRESOLVED_REQUEST, givesUpAt }],
  });
}

/** What a look-up found. What refuses to tell what became of the request has not refused the request. */
async function lookedUp<F>(
  operation: Operation,
  record: CallRecord,
  sentAt: number,
  look: () => Promise<F>,
): Promise<F> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (kindOf(error) !== "other") throw await unusableAnswer(operation, record, error);
    if (isRefusal(error)) throw new LostAnswerError(operation.name, sentAt, { cause: error });
    throw error;
  }
}

function send<O extends Operation, A>(
  deps: Dependencies,
  {
    operation,
    clientToken,
    run,
    resolution,
    send: how,
    notAfter = Date.now() + START_WITHIN_MS,
  }: OnceCall<O, A>,
  params: ParamsOf<O>,
  record: CallRecord,
): Promise<A> {
  const intent = {
    declare: () => record.declare(deps.api.clockAheadMs),
    holds: () => record.holds(),
    early: resolution?.rule === "again",
  };
  const isGuarded = resolution !== undefined || !operation.idempotent;
  const options: CallOptions = {
    signal: cancellationSignal(),
    notAfter,
    clientToken,
    run,
    ...(isGuarded && { intent }),
  };
  return how?.(params, options) ?? (deps.api.read(operation, params, options) as Promise<A>);
}

/**
 * The effect of a refused request, or of an earlier one that it repeats, where a look-up finds it. The intent stays until
 * this is kept. @throws what the look-up throws
 */
async function effectIn<O extends Operation, A>(
  { operation, resolution }: OnceCall<O, A>,
  record: CallRecord,
  error: ApiError,
): Promise<{ readonly found: A } | undefined> {
  if (resolution?.rule !== "lookup" || !(error instanceof RejectedError)) return undefined;
  const isRepeated = record.earlier.length > 0;
  return lookedUp(operation, record, sentAt(record), async () => resolution.refused?.(error, isRepeated));
}

/** Makes the error of a failed call, and deletes its intent where the call had no effect. */
async function failureOf<O extends Operation, A>(
  { operation, resolution }: OnceCall<O, A>,
  record: CallRecord,
  error: ApiError,
): Promise<Error> {
  const { sent, status = 0 } = error;
  const kind = kindOf(error);
  if (record.declaredAt !== undefined) {
    const isRefused = status >= 400 && status < 500 && !(error instanceof TransientError);
    if (!sent || isRefused) await record.retract();
    // It may have taken effect, and nothing will tell; an unfit answer says that it has, but not as agreed.
    else if (resolution === undefined && kind !== "unfit")
      return new LostAnswerError(operation.name, sentAt(record), { cause: error });
  }
  return kind === "useless" ? unusableAnswer(operation, record, error) : error;
}

/** What the answer of a failed call says: nothing, or that it was carried out, but not as agreed. */
function kindOf(error: ApiError): "useless" | "unfit" | "other" {
  if (error instanceof SchemaError || error instanceof AnotherSubjectError) return "unfit";
  return isUseless(error) ? "useless" : "other";
}

/**
 * Makes the error for an answer that says nothing of what the service did. Such an answer is resolved as a lost one, but
 * not without end: a proxy may give the same page to every request.
 */
async function unusableAnswer(called: Operation, record: CallRecord, error: ApiError): Promise<Error> {
  const unusable = await record.countUnusable();
  const isLast = unusable >= triesOf(USELESS_RETRY);
  if (isLast && !isWrite(called))
    return new SchemaError(error, "", `expected JSON with status 200, and ${unusable} answers were none`);
  if (isLast) return new LostAnswerError(called.name, sentAt(record), { cause: error, unusable });
  const { operation, sent, status } = error;
  return ApplicationFailure.create({
    type: FAILURE_TYPES.transient,
    message: error.message,
    cause: error,
    nextRetryDelay: waitAfter(USELESS_RETRY, unusable),
    details: [{ operation, sent, reason: USELESS_ANSWER, ...(status !== undefined && { status }) }],
  });
}

function sentAt({ earlier: [first], declaredAt }: CallRecord): number {
  return first?.at ?? declaredAt ?? Date.now();
}
