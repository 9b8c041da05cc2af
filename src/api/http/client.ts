import type { IncomingHttpHeaders } from "node:http";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { type Dispatcher, Pool } from "undici";
import type { ClientTokenGrant } from "../../domain/service/client-token-grant.js";
import { parseHttpDate } from "../../domain/service/retry-after.js";
import { isWrite, type Operation, type ParamsOf, type ResponseOf } from "../operations/operation.js";
import { isByteSource } from "../schemas/byte-source.js";
import { readAnswer } from "./answer.js";
import { authHeader, basicAuthorization, checkGrant } from "./auth.js";
import { Admission } from "./call-limiter.js";
import { AuthError } from "./errors.js";
import { type ExchangeForm, type ExchangeLimits, exchange, type Reply } from "./exchange.js";
import { retryAfterMs } from "./failure-errors.js";
import { refusalReader } from "./refusal-words.js";
import { compileRequest, type Request } from "./request.js";
import { EarlyIntents, type SendIntent } from "./send-intent.js";
import { SharedPause } from "./shared-pause.js";

/** Compiled settings of a client. */
export interface ApiClientOptions extends ExchangeLimits {
  /** Canonical base address, without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Calls in flight, and connections. */
  readonly concurrency: number;
  /** Calls started per second; unlimited when left out. */
  readonly rps?: number | undefined;
  readonly userAgent: string;
  /** Directory in which processes tell each other of a pause that the service asked for. */
  readonly pauses?: string | undefined;
}

/** What one call may take. */
export interface CallOptions {
  /** Ends waiting and the call in flight; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The run it belongs to: after its first 401/403 no call of it starts any more. */
  readonly run?: string | undefined;
  /** Epoch milliseconds: a call that can't start by then rejects with NotSentError. */
  readonly notAfter?: number | undefined;
  /** Client token of an operation that is authenticated by one; a text is a token from elsewhere. */
  readonly clientToken?: ClientToken | string | undefined;
  /**
   * Takes any status as the answer: behind a proxy it may be the target's, which nothing tells from the
   * service's own. Such an answer closes neither the gate nor the run.
   */
  readonly anyStatus?: boolean | undefined;
  readonly intent?: SendIntent | undefined;
  /** What a message must not quote either, besides what the request itself sends: texts, or what holds them. */
  readonly withheld?: unknown;
}

/** A client of the service. It never tries a call twice: retries belong to the workflows. */
export interface ApiClient {
  /**
   * Makes one call and gives the raw answer.
   *
   * @throws InputError when a parameter is not as the operation takes it (nothing is sent).
   * @throws AuthError, RateLimitedError, TransientError, NotFoundError, RejectedError, SchemaError, NotSentError.
   */
  call<O extends Operation>(operation: O, params: ParamsOf<O>, options?: CallOptions): Promise<Reply>;
  /**
   * Makes one call and lets the body of its answer flow into `sink`, however long it is; gives the rest of it.
   * The sink is ended when the body was whole, and destroyed when it broke off.
   */
  download<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    sink: Writable,
    options?: CallOptions,
  ): Promise<Omit<Reply, "body">>;
  /** Makes one call and gives the parsed answer, checked against the operation's response schema. */
  read<O extends Operation>(operation: O, params: ParamsOf<O>, options?: CallOptions): Promise<ResponseOf<O>>;
  /** Requests that left this process so far. */
  readonly requestsSent: number;
  /** Epoch milliseconds until which the service asked for no calls; undefined when it didn't. */
  readonly gateUntil: number | undefined;
  /** Milliseconds that the service's clock is ahead of ours, by its last answer; undefined before one said. */
  readonly clockAheadMs: number | undefined;
  /** Refuses what waits, breaks off what is in flight, closes the connections. */
  close(): Promise<void>;
}

/** Given up with by a call whose turn was over before it could be sent: it queues again. */
const HELD = new Error("not now");

/** Makes a client; the connections are opened by the first calls. */
export function createApiClient(options: ApiClientOptions): ApiClient {
  return new PooledClient(options);
}

class PooledClient implements ApiClient {
  readonly #options: ApiClientOptions;
  readonly #pool: Pool;
  readonly #admission: Admission;
  readonly #early: EarlyIntents;
  readonly #basePath: string;
  readonly #authorization: string;
  /** What authenticates, as a refusal may quote it. */
  readonly #secrets: readonly string[];
  #sent = 0;
  #lastDate: { readonly text: string; readonly here: number } | undefined;

  constructor(options: ApiClientOptions) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.#options = options;
    this.#basePath = pathname.replace(/\/+$/, "");
    this.#authorization = basicAuthorization(options.apiKey);
    this.#secrets = [options.apiKey, this.#authorization.replace("Basic ", "")];
    const pause = options.pauses === undefined ? undefined : new SharedPause(options.pauses, options.baseUrl);
    this.#admission = new Admission(options.concurrency, options.rps, pause);
    this.#early = new EarlyIntents(2 * options.concurrency);
    this.#pool = new Pool(origin, {
      connections: options.concurrency,
      pipelining: 1,
      connect: { timeout: options.headersTimeoutMs },
      // An exchange keeps its own, exact time; undici's is coarse and starts again with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  get requestsSent(): number {
    return this.#sent;
  }

  get gateUntil(): number | undefined {
    return this.#admission.gateUntil;
  }

  get clockAheadMs(): number | undefined {
    if (this.#lastDate === undefined) return undefined;
    const { text, here } = this.#lastDate;
    const there = parseHttpDate(text, here);
    return there === undefined ? undefined : there - here;
  }

  call<O extends Operation>(operation: O, params: ParamsOf<O>, options: CallOptions = {}): Promise<Reply> {
    return this.#exchange(operation, params, options);
  }

  async download<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    sink: Writable,
    options: CallOptions = {},
  ): Promise<Omit<Reply, "body">> {
    try {
      const { status, headers } = await this.#exchange(operation, params, options, sink);
      sink.end();
      await finished(sink, { readable: false });
      return { status, headers };
    } catch (error) {
      sink.destroy();
      throw error;
    }
  }

  async read<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    options?: CallOptions,
  ): Promise<ResponseOf<O>> {
    return readAnswer(operation, await this.call(operation, params, options));
  }

  async close(): Promise<void> {
    this.#early.close();
    this.#admission.close();
    await this.#pool.destroy();
  }

  async #exchange<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    options: CallOptions,
    sink?: Writable,
  ): Promise<Reply> {
    const request = compileRequest(operation, params);
    const { clientToken, signal, run, notAfter, intent } = options;
    if (operation.auth === "client_token" && typeof clientToken === "object") {
      checkGrant(operation, request.checked, clientToken.grant);
    }
    for (;;) {
      // Asked for each attempt: a wait for the gate may have outlived a token.
      const token = typeof clientToken === "object" ? await clientToken.reveal(options) : clientToken;
      const values = [request.checked, options.withheld, this.#secrets, token];
      const form = formOf(operation, request, options, sink, values);
      const attempt = () => this.#attempt(operation, this.#onWire(operation, request, token), options, form);
      const turn = { operation: operation.name, signal, run, notAfter };
      const reply = await (intent?.early ? this.#early.declare(turn, intent, attempt) : attempt());
      if (reply !== undefined) return reply;
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

  // Gives undefined when the gate closed between admission and sending (a connection was still being made), or
  // that took longer than the intent holds: nothing was sent, so the call queues again.
  async #attempt(
    { name: operation, auth }: Operation,
    request: Dispatcher.DispatchOptions,
    { signal, run, notAfter, anyStatus, intent }: CallOptions,
    form: ExchangeForm,
  ): Promise<Reply | undefined> {
    await this.#admission.enter({ operation, signal, run, notAfter });
    const beforeSend = () => {
      const closed = this.#admission.closedFor(run);
      if (closed === "run") return new AuthError({ operation, sent: false });
      if (closed === "gate" || intent?.holds() === false) return HELD;
      this.#sent += 1;
      return undefined;
    };
    // A refused client token says nothing about the key that the rest of the run goes on with.
    const keyOf = auth === "secret_key" ? run : undefined;
    const onHead = (status: number, headers: IncomingHttpHeaders) => {
      if (headers.date !== undefined) this.#lastDate = { text: headers.date, here: Date.now() };
      if (!anyStatus) this.#obey(keyOf, status, headers);
    };
    const events = { beforeSend, onHead };
    try {
      if (intent !== undefined && !(intent.early && intent.holds())) await intent.declare();
      return await exchange(this.#pool, request, operation, this.#options, events, signal, form);
    } catch (error) {
      if (error === HELD) return undefined;
      throw error;
    } finally {
      this.#admission.leave();
    }
  }

  // As soon as the head is there: what waits must not start in the time its body takes.
  #obey(run: string | undefined, status: number, headers: IncomingHttpHeaders): void {
    if ((status === 401 || status === 403) && run !== undefined) {
      this.#early.closeRun(run);
      this.#admission.closeRun(run);
    }
    if (status !== 429 && status !== 503) return;
    const wait = retryAfterMs(headers);
    if (wait !== undefined) this.#admission.closeGate(Date.now() + wait);
  }
}

function formOf(
  operation: Operation,
  { body, patienceMs }: Request,
  { anyStatus }: CallOptions,
  sink: Writable | undefined,
  values: readonly unknown[],
): ExchangeForm {
  return {
    credential: operation.auth === "client_token" ? "client_token" : undefined,
    write: !operation.idempotent,
    changes: isWrite(operation),
    source: isByteSource(body) ? body : undefined,
    anyContent: operation.answers === "bytes",
    anyStatus,
    sink,
    patienceMs,
    wordsOf: refusalReader(operation, values),
  };
}

/** What a client operation is authenticated by: a token with what it was made for. */
export interface ClientToken {
  /** What it was made for. */
  readonly grant: ClientTokenGrant;
  /** The token's text: for the header of a call and for nothing else. */
  reveal(options?: CallOptions): Promise<string>;
}
