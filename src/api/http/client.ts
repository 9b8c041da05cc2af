import type { IncomingHttpHeaders } from "node:http";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { type Dispatcher, Pool } from "undici";
import { NOBODY } from "../../domain/service/external-id.js";
import type { MadeCall } from "../../domain/service/made-call.js";
import { type CallLimits, Pacer, type SharedPause } from "../../domain/service/pace/pacer.js";
import { parseHttpDate } from "../../domain/service/pace/retry-after.js";
import type { Operation, ParamsOf, ResponseOf } from "../operations/operation.js";
import { getUser } from "../operations/user.js";
import { isByteSource } from "../schemas/byte-source.js";
import { plainReply, readAnswer } from "./answer.js";
import { authHeader, basicAuthorization, checkGrant } from "./auth.js";
import type { CallOptions } from "./call-options.js";
import { CallQueue, type QueuedCall } from "./call-queue.js";
import { AuthError, NotSentError } from "./errors.js";
import { type ExchangeCall, type ExchangeLimits, exchange, type Reply } from "./exchange.js";
import { headerOf, retryAfterMs } from "./headers.js";
import { refusalReader } from "./refusal-words.js";
import { judgesRequest, RefusedCalls } from "./refused-calls.js";
import { compileRequest, type Request, type RequestOptions } from "./request.js";
import { toldCall } from "./told-call.js";

export interface ApiClientOptions extends ExchangeLimits, RequestOptions {
  /** Canonical base address, without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Calls in flight, and connections. */
  readonly concurrency: number;
  /** Calls started per second; unlimited when left out. */
  readonly rps?: number | undefined;
  readonly userAgent: string;
  /** Told of each call that was sent, once it has ended. */
  readonly onCall?: ((call: MadeCall) => void) | undefined;
  /** Where processes share a pause of everything. */
  readonly pauses?: SharedPause | undefined;
}

/** A client of the service. It never repeats a call: retries belong to the workflows. */
export type ApiClient = Pick<PooledClient, Exclude<keyof PooledClient, "share">>;

/** Thrown before sending when a call must queue again. */
const QUEUE_AGAIN = new Error("queue again");

/** Makes a client; the first calls open its connections. */
export function createApiClient(options: ApiClientOptions): PooledClient {
  return new PooledClient(options);
}

class PooledClient {
  readonly #options: ApiClientOptions;
  readonly #pool: Pool;
  readonly #queue: CallQueue;
  /** Bounds the calls that have declared an intent ahead of their start. */
  readonly #earlyIntents: CallQueue;
  readonly #basePath: string;
  readonly #authorization: string;
  /** Credentials, in the forms in which a refusal may quote them. */
  readonly #secrets: readonly string[];
  readonly #refusals = new RefusedCalls(
    () => this.isKeyRefused(),
    (run) => {
      this.#earlyIntents.close(run);
      this.#queue.close(run);
    },
  );
  #lastDate: { readonly text: string; readonly here: number } | undefined;

  constructor(options: ApiClientOptions) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.#options = options;
    this.#basePath = pathname.replace(/\/+$/, "");
    this.#authorization = basicAuthorization(options.apiKey);
    this.#secrets = [options.apiKey, this.#authorization.replace("Basic ", "")];
    const { concurrency, rps = Number.POSITIVE_INFINITY } = options;
    this.#queue = new CallQueue(new Pacer({ concurrency, rps }), options.pauses);
    this.#earlyIntents = new CallQueue(
      new Pacer({ concurrency: 2 * concurrency, rps: Number.POSITIVE_INFINITY }),
    );
    this.#pool = new Pool(origin, {
      connections: options.concurrency,
      pipelining: 1,
      connect: { timeout: options.headersTimeoutMs },
      // An exchange has its own exact timeouts; undici's are coarse and start again with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** As {@link CallQueue.share}; no more calls are in flight than connections. */
  share(ask: () => Promise<CallLimits>): Promise<void> {
    return this.#queue.share(ask);
  }

  /** Milliseconds for which the service wants no call of an operation; 0 where it takes them. */
  pausedMs(operation: string): number {
    return this.#queue.pausedMs(operation);
  }

  /** Calls in flight that the service bears, where it learns and that is fewer than its `concurrency`. */
  get learnedLimit(): number | undefined {
    return this.#queue.pacer.learned;
  }

  /** The newest `Date` of the service's answers, as an ISO instant; undefined before one. */
  get serviceTime(): string | undefined {
    const ahead = this.clockAheadMs;
    return ahead === undefined ? undefined : new Date(this.#lastDate!.here + ahead).toISOString();
  }

  /** Milliseconds that the service's clock is ahead of ours, by its last answer; undefined before one said. */
  get clockAheadMs(): number | undefined {
    if (this.#lastDate === undefined) return undefined;
    const { text, here } = this.#lastDate;
    const there = parseHttpDate(text, here);
    return there === undefined ? undefined : there - here;
  }

  /**
   * Makes one call and returns the raw answer.
   *
   * @throws InputError when a parameter breaks the operation's rules (nothing is sent).
   * @throws AuthError, RateLimitedError, TransientError, NotFoundError, RejectedError, SchemaError, NotSentError.
   */
  call<O extends Operation>(operation: O, params: ParamsOf<O>, options: CallOptions = {}): Promise<Reply> {
    return this.#exchange(operation, params, options);
  }

  /**
   * Makes one call and streams the body of its answer into `sink`; returns the rest of it.
   * The sink is ended after a whole body, and destroyed when the body broke off.
   */
  async download<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    sink: Writable,
    options: CallOptions = {},
  ): Promise<Omit<Reply, "body">> {
    try {
      // JSON is judged as a whole before the sink gets it.
      const isJson = operation.answers !== "bytes";
      const { body, ...head } = await this.#exchange(operation, params, options, isJson ? undefined : sink);
      if (isJson && options.accepts === undefined) readAnswer(operation, { ...head, body });
      sink.end(isJson ? body : undefined);
      await finished(sink, { readable: false });
      return head;
    } catch (error) {
      sink.destroy();
      throw error;
    }
  }

  /** Makes one call and returns the parsed answer, checked against the operation's response schema. */
  async read<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    options?: CallOptions,
  ): Promise<ResponseOf<O>> {
    return readAnswer(operation, await this.call(operation, params, options));
  }

  /**
   * Whether the service refuses the key where it has refused a call: asks it for one user, whom nobody is, at once and before
   * any other call of its run.
   *
   * @throws ApiError where the service does not say.
   */
  async isKeyRefused(options: CallOptions = {}): Promise<boolean> {
    const request = compileRequest(getUser, { path: { fp_id: NOBODY } }, this.#options);
    const paced = { operation: getUser.name, subject: request.subject, isLong: false };
    const call = { operation: getUser, asked: request.checked, accepts: judgesRequest };
    const send = () => this.#send(call, this.#onWire(getUser, request, undefined), paced, options);
    try {
      await toldCall(this.#options.onCall, getUser, performance.now(), send);
      return false;
    } catch (error) {
      if (error instanceof AuthError) return true;
      throw error === QUEUE_AGAIN ? new NotSentError(getUser.name) : error;
    }
  }

  /** Rejects waiting calls, aborts those in flight, closes the connections. */
  async close(): Promise<void> {
    this.#earlyIntents.close();
    this.#queue.close();
    await this.#pool.destroy();
  }

  async #exchange<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    options: CallOptions,
    sink?: Writable,
  ): Promise<Reply> {
    const request = compileRequest(operation, params, this.#options);
    const { clientToken, signal, run, notAfter, intent, accepts } = options;
    if (operation.auth === "client_token" && typeof clientToken === "object") {
      checkGrant(operation, request.checked, clientToken.grant);
    }
    const { answers, sends } = operation;
    const isLong = answers === "bytes" || sends === "bytes" || request.extraTimeoutMs > 0;
    const subject = typeof clientToken === "object" ? clientToken.grant.fp_id : request.subject;
    const paced = { operation: operation.name, subject, isLong, signal, run, notAfter };
    const askedAt = performance.now();
    for (;;) {
      // Asked for each attempt: the token may have expired while the call waited.
      const token = typeof clientToken === "object" ? await clientToken.reveal(options) : clientToken;
      const withheld = [request.checked, options.withheld, this.#secrets, token];
      const call: ExchangeCall = {
        operation,
        asked: request.checked,
        source: isByteSource(request.body) ? request.body : undefined,
        accepts,
        sink,
        extraTimeoutMs: request.extraTimeoutMs,
        wordsOf: refusalReader(operation, withheld),
      };
      const attempt = () =>
        this.#queue.run(paced, () =>
          toldCall(this.#options.onCall, operation, askedAt, () =>
            this.#send(call, this.#onWire(operation, request, token), paced, options),
          ),
        );
      const early = async () => {
        await intent?.declare();
        return attempt();
      };
      try {
        return await (intent?.early ? this.#earlyIntents.run(paced, early) : attempt());
      } catch (error) {
        if (error !== QUEUE_AGAIN) throw error;
      }
    }
  }

  #onWire(operation: Operation, request: Request, token: string | undefined): Dispatcher.DispatchOptions {
    const { body } = request;
    const size = isByteSource(body) ? body.size : undefined;
    return {
      method: operation.method,
      path: `${this.#basePath}${request.target}`,
      headers: {
        accept: operation.answers === "bytes" ? "*/*" : "application/json",
        "accept-encoding": "identity",
        "user-agent": this.#options.userAgent,
        ...request.headers,
        ...(size === undefined ? {} : { "content-length": String(size) }),
        ...authHeader(operation, this.#authorization, token),
      },
      ...(body === undefined || isByteSource(body) ? {} : { body }),
    };
  }

  // While the connection is made a pause may begin, or the intent may expire: the call then queues again, unsent.
  async #send(
    call: ExchangeCall,
    request: Dispatcher.DispatchOptions,
    paced: QueuedCall,
    { signal, run, accepts, intent, mayBeRefused }: CallOptions,
  ): Promise<Reply> {
    const { auth } = call.operation;
    await this.#refusals.known(run);
    const beforeSend = () => {
      const refusal = this.#queue.refusal(paced);
      if (refusal !== undefined) return refusal;
      const isPaused = this.#queue.pausedMs(paced.operation, paced.subject) > 0;
      return isPaused || intent?.holds() === false ? QUEUE_AGAIN : undefined;
    };
    const onHead = (status: number, headers: IncomingHttpHeaders) => {
      const date = headerOf(headers, "date");
      if (date !== undefined) this.#lastDate = { text: date, here: Date.now() };
      // On the headers: no waiting call may start while the body arrives.
      const isPause = (status === 429 || status === 503) && !accepts?.(status);
      if (isPause) this.#queue.refused(paced, status, retryAfterMs(headers));
    };
    if (intent !== undefined && !(intent.early && intent.holds())) await intent.declare();
    const send = async () => {
      const reply = await exchange(this.#pool, request, call, this.#options, { beforeSend, onHead }, signal);
      return plainReply(call.operation, reply, this.#options.maxBodyBytes);
    };
    // A refused client token says nothing about the key that the rest of the run uses.
    const doubted = auth === "secret_key" ? run : undefined;
    const subject = paced.subject || JSON.stringify(call.asked.body);
    const judged = { run: doubted, operation: paced.operation, subject, mayBeRefused };
    return this.#refusals.judged(judged, send);
  }
}
