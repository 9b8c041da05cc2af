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
import { CallRecord } from "./call-record.js";
import { ageOf, believedMissingAfter, type Finding, type Resolution, requestOf } from "./lost-call.js";

/** A call that can't start within that gives its place to others. */
const START_WITHIN_MS = 120_000;

/** Between two looks for an effect whose absence proves nothing: as long as it was looked for so far. */
const LOOK_AFTER_MS = 10_000;
const MOST_BETWEEN_LOOKS_MS = 300_000;

export interface OnceCall<O extends Operation, A = ResponseOf<O>> {
  readonly operation: O;
  readonly params: ParamsOf<O>;
  /** Staging prefix of this one call, ending in `/`. */
  readonly key: string;
  /** Needed where the operation is not idempotent. */
  readonly resolution?: Resolution<ParamsOf<O>, A>;
  readonly clientToken?: ClientToken;
  readonly run?: string;
  /** Returns what is kept of the answer; left out: the parsed body. */
  readonly send?: (params: ParamsOf<O>, options: CallOptions) => Promise<A>;
  /** An answer for which it throws is never used. */
  readonly accept?: (answer: A) => Promise<void>;
  /** Epoch milliseconds; left out: {@link START_WITHIN_MS}. */
  readonly notAfter?: number;
}

/**
 * Makes a call whose answer is kept, sealed, in the staging area, so that it takes effect once however often its activity is
 * repeated.
 *
 * @throws LostAnswerError when an earlier request may have taken effect and nothing tells whether it did.
 * @throws ApplicationFailure of type TransientError while that may still be told, or after a useless answer.
 * @throws ApiError, InputError of the call itself.
 */
export async function callOnce<O extends Operation, A = ResponseOf<O>>(
  deps: Dependencies,
  call: OnceCall<O, A>,
): Promise<AnsweredCall<A>> {
  const record = await CallRecord.open(deps.sealed, call.key, call.operation.name);
  return new Attempt(deps, call, record).answer();
}

class Attempt<O extends Operation, A> {
  constructor(
    readonly deps: Dependencies,
    readonly call: OnceCall<O, A>,
    readonly record: CallRecord,
  ) {}

  async answer(): Promise<AnsweredCall<A>> {
    const kept = await this.record.answer<A>();
    if (kept !== undefined) return { ...kept, repeated: "found" };
    const plan = await this.#plan();
    if ("effect" in plan) return this.#keep(plan.effect, "recovered");
    try {
      const body = await this.#send(plan.missing);
      return await this.#keep(plan.complete?.(body) ?? body, "no");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The intent stays until the effect is kept.
      const done = await this.#effectIn(error);
      if (done !== undefined) return this.#keep(done.effect, "recovered");
      throw await this.#failure(error);
    }
  }

  async #keep(body: A, repeated: AnsweredCall<A>["repeated"]): Promise<AnsweredCall<A>> {
    await this.call.accept?.(body);
    return { ...(await this.record.putAnswer(body)), repeated };
  }

  get #sentAt(): number {
    const [first] = this.record.earlier;
    return first?.at ?? this.record.declaredAt ?? Date.now();
  }

  #lost(options?: ConstructorParameters<typeof LostAnswerError>[2]): LostAnswerError {
    return new LostAnswerError(this.call.operation.name, this.#sentAt, options);
  }

  /** What to send, after what earlier attempts have sent. */
  async #plan(): Promise<Exclude<Finding<ParamsOf<O>, A>, { readonly unsureForMs: number }>> {
    const { operation, params, resolution } = this.call;
    const { earlier } = this.record;
    const [first] = earlier;
    if (first === undefined || resolution?.rule === "again") return { missing: params };
    if (resolution === undefined) throw this.#lost();
    const storeTime = await this.record.storeTime();
    const finding = await this.#lookedUp(() => resolution.find(requestOf(first, storeTime)));
    if ("effect" in finding) return finding;
    if ("unsureForMs" in finding) {
      const since = await this.record.unsureFor();
      const left = finding.unsureForMs - since;
      if (left <= 0) throw this.#lost();
      const wait = Math.min(left, MOST_BETWEEN_LOOKS_MS, Math.max(LOOK_AFTER_MS, since));
      throw this.#lookAgain(wait, Date.now() + left);
    }
    const youngest = Math.min(...earlier.map((intent) => ageOf(intent, storeTime, this.deps)));
    const wait = believedMissingAfter(operation, params) - youngest;
    if (wait <= 0) return finding;
    throw this.#lookAgain(wait);
  }

  /** @param givesUpAt left out where the request is sent again then */
  #lookAgain(wait: number, givesUpAt?: number): ApplicationFailure {
    const { name: operation } = this.call.operation;
    return retryable(
      `${operation}: the answer to an earlier request was lost, and its effect can't be found yet. Nothing was sent; ` +
        "it is looked for again, and the request is sent again once it is certain that it had no effect",
      wait,
      { operation, sent: false, reason: UNRESOLVED_REQUEST, givesUpAt },
    );
  }

  /** A refusal to tell what became of the request has not refused it. */
  async #lookedUp<F>(look: () => Promise<F>): Promise<F> {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isUseless(error) || isUnfit(error)) throw await this.#unusable(error);
      throw isRefusal(error) ? this.#lost({ cause: error }) : error;
    }
  }

  #send(params: ParamsOf<O>): Promise<A> {
    const { deps, record } = this;
    const { operation, clientToken, run, resolution, send } = this.call;
    const intent = {
      declare: () => record.declare(deps.api.clockAheadMs),
      holds: () => record.holds(),
      early: resolution?.rule === "again",
    };
    const isGuarded = resolution !== undefined || !operation.idempotent;
    const options: CallOptions = {
      signal: cancellationSignal(),
      notAfter: this.call.notAfter ?? Date.now() + START_WITHIN_MS,
      clientToken,
      run,
      ...(isGuarded && { intent }),
    };
    return send?.(params, options) ?? (deps.api.read(operation, params, options) as Promise<A>);
  }

  /** What a refused request, or an earlier one that it repeats, did all the same. */
  async #effectIn(error: ApiError): Promise<{ readonly effect: A } | undefined> {
    const { resolution } = this.call;
    if (resolution?.rule !== "lookup" || !(error instanceof RejectedError)) return undefined;
    const isRepeated = this.record.earlier.length > 0;
    return this.#lookedUp(async () => resolution.refused?.(error, isRepeated));
  }

  /** Makes the error of a failed call, and deletes its intent where the call had no effect. */
  async #failure(error: ApiError): Promise<Error> {
    const { sent, status = 0 } = error;
    if (this.record.declaredAt !== undefined) {
      const isRefused = status >= 400 && status < 500 && !(error instanceof TransientError);
      if (!sent || isRefused) await this.record.retract();
      // It may have taken effect, and nothing will tell; an unfit answer says that it has, but not as agreed.
      else if (this.call.resolution === undefined && !isUnfit(error)) return this.#lost({ cause: error });
    }
    return isUseless(error) ? this.#unusable(error) : error;
  }

  /** A useless answer is resolved as a lost one, but not without end: a proxy may give its page to every request. */
  async #unusable(error: ApiError): Promise<Error> {
    const unusable = await this.record.countUnusable();
    if (unusable < triesOf(USELESS_RETRY)) {
      const { operation, sent, status } = error;
      const facts = { operation, sent, reason: USELESS_ANSWER, ...(status !== undefined && { status }) };
      return retryable(error.message, waitAfter(USELESS_RETRY, unusable), facts, error);
    }
    if (isWrite(this.call.operation)) return this.#lost({ cause: error, unusable });
    return new SchemaError(error, "", `expected JSON with status 200, and ${unusable} answers were none`);
  }
}

/** Whether an answer says that the request was carried out, not as agreed. */
function isUnfit(error: ApiError): boolean {
  return error instanceof SchemaError || error instanceof AnotherSubjectError;
}

function retryable(
  message: string,
  nextRetryDelay: number,
  facts: object,
  cause?: Error,
): ApplicationFailure {
  const type = FAILURE_TYPES.transient;
  return ApplicationFailure.create({
    type,
    message,
    nextRetryDelay,
    details: [facts],
    ...(cause && { cause }),
  });
}
