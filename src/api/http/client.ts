import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { type Dispatcher, Pool } from "undici";
import { NOBODY } from "../../domain/service/external-id.js";
import type { MadeCall } from "../../domain/service/made-call.js";
import { type CallLimits, Pacer, type SharedPause } from "../../domain/service/pace/pacer.js";
import { parseHttpDate } from "../../domain/service/pace/retry-after.js";
import type { ServiceWords } from "../../domain/service/service-words.js";
import type { Operation, ParamsOf, ResponseOf } from "../operations/operation.js";
import { getUser } from "../operations/user.js";
import { isByteSource } from "../schemas/byte-source.js";
import { newFieldsOf, plainReply, readAnswer } from "./answer.js";
import { authHeader, checkGrant } from "./auth.js";
import type { CallOptions } from "./call-options.js";
import { CallQueue, type QueuedCall } from "./call-queue.js";
import { ApiError, AuthError, NotSentError } from "./errors.js";
import { type ExchangeCall, type ExchangeLimits, exchange, type Reply } from "./exchange.js";
import { headerOf, retryAfterMs } from "./headers.js";
import { refusalReader } from "./refusal-words.js";
import { judgesRequest, RefusedCalls } from "./refused-calls.js";
import { compileRequest, type Request } from "./request.js";

export interface ApiClientOptions extends ExchangeLimits {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Calls in flight, and connections. */
  readonly concurrency: number;
  /** Calls started per second; left out: unlimited. */
  readonly rps?: number | undefined;
  readonly userAgent: string;
  /** Left out: those of the contract. */
  readonly words?: ServiceWords | undefined;
  /** Called for each call that was sent, once it has ended. */
  readonly onCall?: ((call: MadeCall) => void) | undefined;
  /** Where processes share a pause of everything. */
  readonly pauses?: SharedPause | undefined;
}

/** A client of the service. It never repeats a call. */
export type ApiClient = Pick<PooledClient, Exclude<keyof PooledClient, "share">>;

/** Thrown before sending when a call must queue again. */
const QUEUE_AGAIN = new Error("queue again");

export function createApiClient(options: ApiClientOptions): PooledClient {
  return new PooledClient(options);
}

class PooledClient {
  readonly #options: ApiClientOptions;
  readonly #pool: Pool;
  readonly #queue: CallQueue;
  /** Of calls that declare an intent ahead of their start. */
  readonly #earlyIntents: CallQueue;
  readonly #basePath: string;
  readonly #authorization: string;
  /** In the forms in which a refusal may quote them. */
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
    const { concurrency, rps = Number.POSITIVE_INFINITY, apiKey } = options;
    this.#options = options;
    this.#basePath = pathname.replace(/\/+$/, "");
    const encoded = Buffer.from(`${apiKey}:`).toString("base64");
    this.#authorization = `Basic ${encoded}`;
    this.#secrets = [apiKey, encoded];
    this.#queue = new CallQueue(new Pacer({ concurrency, rps }), options.pauses);
    this.#earlyIntents = new CallQueue(
      new Pacer({ concurrency: 2 * concurrency, rps: Number.POSITIVE_INFINITY }),
    );
    this.#pool = new Pool(origin, {
      connections: concurrency,
      pipelining: 1,
      connect: { timeout: options.headersTimeoutMs },
      // undici's are coarse, and start again with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** As {@link CallQueue.share}. */
  share(ask: () => Promise<CallLimits>): Promise<void> {
    return this.#queue.share(ask);
  }

  /** As {@link CallQueue.pausedMs}. */
  pausedMs(operation: string): number {
    return this.#queue.pausedMs(operation);
  }

  /** Calls in flight that the service bears, where that is fewer than its `concurrency`. */
  get learnedLimit(): number | undefined {
    return this.#queue.pacer.learned;
  }

  /** The newest `Date` of the service's answers, as an ISO instant; undefined before one. */
  get serviceTime(): string | undefined {
    const ahead = this.clockAheadMs;
    return ahead === undefined ? undefined : new Date(this.#lastDate!.here + ahead).toISOString();
  }

  /** Milliseconds that the service's clock is ahead of ours, by its last answer; undefined before one. */
  get clockAheadMs(): number | undefined {
    if (this.#lastDate === undefined) return undefined;
    const { text, here } = this.#lastDate;
    const there = parseHttpDate(text, here);
    return there === undefined ? undefined : there - here;
  }

  /** Makes one call. @throws InputError when a parameter breaks the operation's rules; ApiError */
  async call<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    options: CallOptions = {},
  ): Promise<Reply> {
    const request = compileRequest(operation, params, this.#options.words);
    const { clientToken, intent } = options;
    const renewed = typeof clientToken === "object" ? clientToken : undefined;
    checkGrant(operation, request.checked, renewed?.grant);
    const { name, answers, sends } = operation;
    const call = {
      ...options,
      operation: name,
      subject: renewed?.grant.fp_id ?? request.subject,
      isLong: answers === "bytes" || sends === "bytes" || request.extraTimeoutMs > 0,
    };
    const waitsSince = performance.now();
    for (;;) {
      // For each attempt: the token may have expired while the call waited.
      const token = typeof clientToken === "object" ? await clientToken.reveal(options) : clientToken;
      const attempt = () =>
        this.#queue.run(call, () => this.#send(operation, request, call, waitsSince, token));
      try {
        if (!intent?.early) return await attempt();
        return await this.#earlyIntents.run(call, () => intent.declare().then(attempt));
      } catch (error) {
        if (error !== QUEUE_AGAIN) throw error;
      }
    }
  }

  /** Makes one call and streams the body of its answer into `sink`, which a body that broke off destroys. */
  async download<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    sink: Writable,
    options: CallOptions = {},
  ): Promise<Omit<Reply, "body">> {
    try {
      // JSON is judged as a whole before the sink gets it.
      const isJson = operation.answers !== "bytes";
      const { body, ...head } = await this.call(operation, params, isJson ? options : { ...options, sink });
      if (isJson && options.accepts === undefined) readAnswer(operation, { ...head, body });
      sink.end(isJson ? body : undefined);
      await finished(sink, { readable: false });
      return head;
    } catch (error) {
      sink.destroy();
      throw error;
    }
  }

  /** Makes one call and parses its answer. @throws as {@link readAnswer} */
  async read<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    options?: CallOptions,
  ): Promise<ResponseOf<O>> {
    return readAnswer(operation, await this.call(operation, params, options));
  }

  /** Whether the service refuses the key: asks at once for a user whom nobody is. @throws ApiError where it does not say */
  async isKeyRefused(options: CallOptions = {}): Promise<boolean> {
    const request = compileRequest(getUser, { path: { fp_id: NOBODY } }, this.#options.words);
    const { subject } = request;
    const call = {
      operation: getUser.name,
      subject,
      isLong: false,
      signal: options.signal,
      accepts: judgesRequest,
    };
    try {
      await this.#send(getUser, request, call, performance.now());
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

  /** Sends a call that has its place. @throws QUEUE_AGAIN unsent, where a pause began or its intent expired */
  async #send(
    operation: Operation,
    request: Request,
    call: QueuedCall,
    waitsSince: number,
    token?: string,
  ): Promise<Reply> {
    const { run, accepts, intent, signal, sink, withheld } = call;
    const { body, checked, extraTimeoutMs } = request;
    await this.#refusals.isAsked(run);
    if (intent !== undefined && !(intent.early && intent.holds())) await intent.declare();
    const made: ExchangeCall = {
      ...{ operation, accepts, signal, sink, extraTimeoutMs },
      request: checked,
      wire: this.#onWire(operation, request, token),
      source: isByteSource(body) ? body : undefined,
      wordsOf: refusalReader(operation, [checked, withheld, this.#secrets, token]),
      beforeSend: () => {
        const refusal = this.#queue.refusal(call);
        if (refusal !== undefined) return refusal;
        const isPaused = this.#queue.pausedMs(call.operation, call.subject) > 0;
        return isPaused || intent?.holds() === false ? QUEUE_AGAIN : undefined;
      },
      onHead: (status, headers) => {
        const text = headerOf(headers, "date");
        if (text !== undefined) this.#lastDate = { text, here: Date.now() };
        // On the headers: no waiting call may start while the body arrives.
        const isPause = (status === 429 || status === 503) && !accepts?.(status);
        if (isPause) this.#queue.refused(call, status, retryAfterMs(headers));
      },
    };
    // A refused client token says nothing about the key.
    const doubted = operation.auth === "secret_key" ? run : undefined;
    const subject = call.subject || JSON.stringify(checked.body);
    return this.#refusals.judged({ ...call, subject, run: doubted }, () => this.#exchanged(made, waitsSince));
  }

  /** Makes an exchange, and tells of it once it has ended. */
  async #exchanged(call: ExchangeCall, waitsSince: number): Promise<Reply> {
    const { operation } = call;
    const sentAt = performance.now();
    const tell = (status: string, bytes = 0, newFields: readonly string[] = []) => {
      const seconds = (performance.now() - sentAt) / 1_000;
      const waitedSeconds = (sentAt - waitsSince) / 1_000;
      this.#options.onCall?.({ operation: operation.name, status, seconds, waitedSeconds, bytes, newFields });
    };
    try {
      const answer = await exchange(this.#pool, call, this.#options);
      const reply = plainReply(operation, answer, this.#options.maxBodyBytes);
      tell(String(reply.status), reply.bytes, newFieldsOf(operation, reply));
      return reply;
    } catch (error) {
      // One that was not sent is no call of the service.
      if (error instanceof ApiError && error.sent) tell(String(error.status ?? error.name));
      throw error;
    }
  }

  #onWire(
    operation: Operation,
    { body, target, headers }: Request,
    token?: string,
  ): Dispatcher.DispatchOptions {
    const size = isByteSource(body) ? body.size : undefined;
    return {
      method: operation.method,
      path: `${this.#basePath}${target}`,
      headers: {
        accept: operation.answers === "bytes" ? "*/*" : "application/json",
        "accept-encoding": "identity",
        "user-agent": this.#options.userAgent,
        ...headers,
        ...(size !== undefined && { "content-length": String(size) }),
        ...authHeader(operation, this.#authorization, token),
      },
      ...(body !== undefined && !isByteSource(body) && { body }),
    };
  }
}
