import { ApplicationFailure, cancellationSignal } from "@temporalio/activity";
import type { CallOptions, ClientToken } from "../../api/http/client.js";
import { ApiError, NO_JSON, RejectedError, SchemaError, TransientError } from "../../api/http/errors.js";
import type { Operation, ParamsOf, ResponseOf } from "../../api/operations/operation.js";
import type { SettledCall } from "../../domain/calls/settled-call.js";
import { FAILURE_TYPES } from "../../domain/failures.js";
import type { KeptAnswer } from "../../lake/calls/staged-call.js";
import type { Dependencies } from "../dependencies.js";
import { LostAnswerError } from "../lost-answer-error.js";
import { CallRecord } from "./call-record.js";
import { ageOf, lostCall, settlesAfter } from "./lost-call.js";
import type { Finding, Settlement } from "./settlement.js";

/** Milliseconds a call may wait for its turn; after that its place is free for others, and it is tried later. */
const TURN_MS = 120_000;

/** Answers to one call, or about it, that tell nothing, before it is given up, and milliseconds after the first. */
const MOST_UNUSABLE = 5;
const AFTER_UNUSABLE_MS = 3_000;

/** One call that must not take effect twice. */
export interface OnceCall<O extends Operation, A = ResponseOf<O>> {
  readonly operation: O;
  readonly params: ParamsOf<O>;
  /** Staging prefix of this one call, ending in `/`: whoever repeats it with the same prefix gets its answer. */
  readonly key: string;
  /** How a lost answer is settled; needed where the operation is not idempotent. */
  readonly settle?: Settlement<ParamsOf<O>, A>;
  readonly clientToken?: ClientToken;
  /** The run it belongs to: after its first 401/403 no call of it starts any more. */
  readonly run?: string;
  /** Makes the call and gives what is kept of its answer; left out: the parsed body. */
  readonly send?: (params: ParamsOf<O>, options: CallOptions) => Promise<A>;
  readonly settleAfterMs?: number;
  /** Epoch milliseconds after which no request leaves any more; left out: after {@link TURN_MS}. */
  readonly notAfter?: number;
}

/**
 * Makes a call whose answer is kept, sealed, in the staging area, so that however often the activity is repeated it
 * takes effect once. Runs inside an activity.
 *
 * @throws LostAnswerError when an earlier request may have taken effect and nothing tells.
 * @throws ApplicationFailure of type TransientError while it is too early to say that a lost request had no effect,
 * or after an answer that tells nothing of it.
 * @throws ApiError, InputError of the call itself.
 */
export async function callOnce<O extends Operation, A = ResponseOf<O>>(
  deps: Dependencies,
  call: OnceCall<O, A>,
): Promise<SettledCall<A>> {
  const { operation, key, settle } = call;
  const guarded = settle !== undefined || !operation.idempotent;
  const record = await CallRecord.open(deps.sealed, key, operation.name);
  const kept = await record.answer<A>();
  if (kept !== undefined) return answered(kept, "found");
  const plan = await planOf(deps, call, record);
  if ("found" in plan) return answered(await record.keep(plan.found), "settled");
  try {
    const body = await send(deps, call, plan.missing, guarded ? record : undefined);
    const whole = plan.complete?.(body) ?? body;
    return answered(await record.keep(whole), "no");
  } catch (error) {
    const meaning = meaningOf(call, record, error);
    if (meaning instanceof Error) throw meaning;
    if (meaning !== undefined) return answered(await record.keep(meaning.found), "settled");
    throw await judged(call, record, error);
  }
}

function answered<A>(
  { body, at, asked }: KeptAnswer<A>,
  repeated: SettledCall<A>["repeated"],
): SettledCall<A> {
  return { body, at, asked, repeated };
}

/** What is to be sent, after what earlier attempts have sent. */
async function planOf<O extends Operation, A>(
  deps: Dependencies,
  { operation, params, settle, settleAfterMs }: OnceCall<O, A>,
  record: CallRecord,
): Promise<Finding<ParamsOf<O>, A>> {
  const { earlier } = record;
  const [first] = earlier;
  if (first === undefined || settle?.rule === "again") return { missing: params };
  if (settle?.rule !== "lookup") throw new LostAnswerError(operation.name, first.at);
  const storeTime = await record.storeTime();
  let finding: Finding<ParamsOf<O>, A>;
  try {
    finding = await settle.find(lostCall(operation, first, storeTime));
  } catch (error) {
    throw error instanceof SchemaError ? await untold(operation, record, error) : error;
  }
  if ("found" in finding) return finding;
  const settled = settleAfterMs ?? settlesAfter(operation, params);
  const wait = settled - Math.min(...earlier.map((intent) => ageOf(intent, storeTime, deps)));
  if (wait <= 0) return finding;
  throw ApplicationFailure.create({
    type: FAILURE_TYPES.transient,
    message:
      `${operation.name}: the answer to an earlier request was lost, and its effect is not to be found yet. ` +
      "Nothing was sent; it is looked for once more, and sent again when it is not there then",
    nextRetryDelay: wait,
  });
}

function send<O extends Operation, A>(
  deps: Dependencies,
  { operation, clientToken, run, settle, send: how, notAfter = Date.now() + TURN_MS }: OnceCall<O, A>,
  params: ParamsOf<O>,
  record: CallRecord | undefined,
): Promise<A> {
  const options: CallOptions = {
    signal: cancellationSignal(),
    notAfter,
    clientToken,
    run,
    intent: record && {
      declare: () => record.declare(deps.api.clockAheadMs),
      holds: () => record.holds(),
      early: settle?.rule === "again" && settle.refused === undefined,
    },
  };
  return how?.(params, options) ?? (deps.api.read(operation, params, options) as Promise<A>);
}

/** What the refusal of a repetition says of the request before it. */
function meaningOf<O extends Operation, A>(
  { operation, settle }: OnceCall<O, A>,
  { earlier: [first] }: CallRecord,
  error: unknown,
): { readonly found: A } | Error | undefined {
  if (first === undefined || settle?.rule !== "again" || !(error instanceof RejectedError)) return undefined;
  const meaning = settle.refused?.(error.status ?? 0);
  return meaning === "unknown" ? new LostAnswerError(operation.name, first.at, { cause: error }) : meaning;
}

/** Takes the intent back where the request had no effect, and gives the error to throw. */
async function judged<O extends Operation, A>(
  { operation, settle }: OnceCall<O, A>,
  record: CallRecord,
  error: unknown,
): Promise<unknown> {
  const sentAt = record.declaredAt;
  if (!(error instanceof ApiError)) return error;
  if (sentAt !== undefined) {
    if (hadNoEffect(error)) {
      await record.retract();
      return error;
    }
    const hopeless = settle === undefined || settle.rule === "unknown";
    if (hopeless && !(error instanceof SchemaError)) {
      return new LostAnswerError(operation.name, sentAt, { cause: error });
    }
  }
  const tellsNothing = error instanceof TransientError && error.reason === NO_JSON;
  return tellsNothing ? untold(operation, record, error) : error;
}

/**
 * What to throw after an answer that says nothing of what the service did: it is settled as a lost one, but a page
 * that a proxy gives to everything would be asked for without end.
 */
async function untold({ name }: Operation, record: CallRecord, error: ApiError): Promise<Error> {
  const unusable = await record.countUnusable();
  if (unusable >= MOST_UNUSABLE) {
    const sentAt = record.earlier[0]?.at ?? record.declaredAt ?? Date.now();
    return new LostAnswerError(name, sentAt, { cause: error, unusable });
  }
  const { operation, sent, status } = error;
  return ApplicationFailure.create({
    type: FAILURE_TYPES.transient,
    message: error.message,
    cause: error,
    nextRetryDelay: AFTER_UNUSABLE_MS * 3 ** (unusable - 1),
    details: [{ operation, sent, reason: NO_JSON, ...(status !== undefined && { status }) }],
  });
}

/** Whether a failed request certainly changed nothing: it never left, or was refused. */
function hadNoEffect(error: ApiError): boolean {
  if (!error.sent) return true;
  const { status } = error;
  return status !== undefined && status >= 400 && status < 500 && !(error instanceof TransientError);
}
