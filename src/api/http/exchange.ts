import type { IncomingHttpHeaders } from "node:http";
import { Readable, type Writable } from "node:stream";
import type { Dispatcher } from "undici";
import { NOT_PROMISED, USELESS_ANSWER } from "../../domain/backoff.js";
import { InputError } from "../../domain/failures.js";
import type { CheckedRequest, Operation } from "../operations/operation.js";
import type { ByteSource } from "../schemas/byte-source.js";
import { onAbort } from "./abort-listeners.js";
import type { CallOptions } from "./call-options.js";
import {
  type CallFacts,
  factsOf,
  networkError,
  SchemaError,
  statusError,
  TransientError,
  tooLarge,
} from "./errors.js";
import { announced, headerOf } from "./headers.js";
import { MOST_READ, type RefusalBody, relayWords } from "./refusal-words.js";

// A refusal's body decides nothing, but only after it the connection can be reused.
const DISCARD_MS = 1000;
const DISCARD_BYTES = 64 * 1024;

// Of `maxBodyBytes`: the longest body into a sink, and how much of it gets one time limit.
const LONGEST_STREAM = 64;
const STREAMED_IN_TIME = 4;

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Of the body on the wire, also into a sink. */
  readonly bytes: number;
  /** From the start to the last byte. */
  readonly durationMs: number;
  /** For an answer that must name what it was asked for. */
  readonly request: CheckedRequest;
}

export interface ExchangeLimits {
  /** Milliseconds from the start to the answer's headers. */
  readonly headersTimeoutMs: number;
  /** Milliseconds from the headers to the last byte; of a body into a sink, for every four announced `maxBodyBytes`. */
  readonly bodyTimeoutMs: number;
  /** Into a sink, 64 times as much. */
  readonly maxBodyBytes: number;
}

/** One call on the wire. */
export interface ExchangeCall extends Pick<CallOptions, "accepts" | "signal" | "sink"> {
  readonly operation: Operation;
  readonly request: CheckedRequest;
  /** The request as it is written, but for a body that is streamed. */
  readonly wire: Dispatcher.DispatchOptions;
  readonly source?: ByteSource | undefined;
  /** Milliseconds to wait for the headers on top of the limit. */
  readonly extraTimeoutMs?: number;
  /** Reads what a refusal says, masked. */
  readonly wordsOf?: ((body: RefusalBody) => string | undefined) | undefined;
  /** Called right before the first byte leaves; an error stops the request unsent. */
  readonly beforeSend: () => Error | undefined;
  readonly onHead: (status: number, headers: IncomingHttpHeaders) => void;
}

/** Sends one request, once, and gives its answer. @throws ApiError, or what `signal` was aborted with */
export function exchange(dispatcher: Dispatcher, call: ExchangeCall, limits: ExchangeLimits): Promise<Reply> {
  const { signal, wire } = call;
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const state = new Exchange(call, limits, resolve, reject);
    const body = state.requestBody();
    dispatcher.dispatch(body === undefined ? wire : { ...wire, body }, state);
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  #sent = false;
  #startedAt = 0;
  #done = false;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  #failure: (() => Error) | undefined;
  #size = 0;
  #body: ReturnType<typeof streamBody> | undefined;
  #isWhole = false;
  readonly #chunks: Buffer[] = [];
  #unlisten: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #onSinkEnd = (error?: Error) => this.#giveUp(error ?? new Error("the sink was closed"));

  constructor(
    readonly call: ExchangeCall,
    readonly limits: ExchangeLimits,
    readonly resolve: (reply: Reply) => void,
    readonly reject: (reason: unknown) => void,
  ) {
    this.#awaitHead();
    const { signal, sink } = call;
    if (signal !== undefined) this.#unlisten = onAbort(signal, () => this.#giveUp(signal.reason));
    sink?.on("error", this.#onSinkEnd).on("close", this.#onSinkEnd);
  }

  /** The body to send, where it is streamed: with each piece the time begins again. */
  requestBody(): Readable | undefined {
    const { source } = this.call;
    if (source === undefined) return undefined;
    this.#body = streamBody(this.call.operation.name, source, () => {
      if (!this.#done && this.#status === undefined) this.#awaitHead();
    });
    return this.#body.stream;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const stop = this.#done ? new Error("given up") : this.call.beforeSend();
    this.#startedAt = performance.now();
    if (stop === undefined) this.#sent = true;
    else this.#giveUp(stop);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#done) return;
    this.#status = status;
    this.#headers = headers;
    this.#failure = this.#judgeHead(status, headers);
    this.call.onHead(status, headers);
    const { maxBodyBytes, bodyTimeoutMs } = this.limits;
    const times = Math.max(1, Math.ceil(announced(headers) / (STREAMED_IN_TIME * maxBodyBytes)));
    if (this.#failure === undefined) this.#allow(bodyTimeoutMs * times);
    else this.#allow(Math.min(DISCARD_MS, bodyTimeoutMs), this.#failure);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return;
    this.#size += chunk.length;
    if (this.#failure !== undefined) {
      if (this.#size - chunk.length <= MOST_READ) this.#chunks.push(chunk);
      if (this.#size > DISCARD_BYTES) this.#giveUp(this.#failure());
    } else if (this.#size > this.#mostBytes) {
      this.#giveUp(this.#tooLarge());
    } else if (this.call.sink !== undefined) {
      this.#pour(this.call.sink, controller, chunk);
    } else {
      this.#chunks.push(chunk);
    }
  }

  onResponseEnd(): void {
    if (!this.#finish()) return;
    this.#isWhole = true;
    if (this.#failure !== undefined) this.reject(this.#failure());
    else this.resolve(this.#reply());
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (!this.#finish()) return;
    this.reject(this.#failure?.() ?? this.#body?.failure() ?? networkError(this.#facts(), error));
  }

  /** Makes the error for an answer with this head, once no more of its body will come. */
  #judgeHead(status: number, headers: IncomingHttpHeaders): (() => Error) | undefined {
    if (status >= 300 && !this.call.accepts?.(status)) {
      const facts = { ...this.#facts(), status, relayed: relayWords(this.call.operation, status, headers) };
      return () => statusError(facts, headers, () => this.#serviceMessage());
    }
    const isJson = this.call.operation.answers !== "bytes";
    if (isJson && status !== 200 && !this.call.accepts?.(status))
      return () => new TransientError(this.#facts(), NOT_PROMISED);
    const type = headerOf(headers, "content-type") ?? "";
    if (isJson && !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
      return () => new TransientError(this.#facts(), USELESS_ANSWER);
    return announced(headers) > this.#mostBytes ? () => this.#tooLarge() : undefined;
  }

  #tooLarge(): SchemaError {
    return new SchemaError(this.#facts(), "", tooLarge(this.#mostBytes));
  }

  #serviceMessage(): string | undefined {
    const encoding = headerOf(this.#headers, "content-encoding");
    return this.call.wordsOf?.({ bytes: Buffer.concat(this.#chunks), isWhole: this.#isWhole, encoding });
  }

  // A full sink pauses the connection, not the time.
  #pour(sink: Writable, controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (sink.write(chunk)) return;
    controller.pause();
    sink.once("drain", () => {
      if (!this.#done) controller.resume();
    });
  }

  get #mostBytes(): number {
    return this.limits.maxBodyBytes * (this.call.sink === undefined ? 1 : LONGEST_STREAM);
  }

  #awaitHead(): void {
    this.#allow(this.limits.headersTimeoutMs + (this.call.extraTimeoutMs ?? 0));
  }

  /** From now on; after that the call is given up. */
  #allow(ms: number, failure: () => Error = () => new TransientError(this.#facts(), "timeout")): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(failure()), ms);
  }

  #reply(): Reply {
    const [first = Buffer.alloc(0)] = this.#chunks;
    return {
      status: this.#status ?? 0,
      headers: this.#headers,
      body: this.#chunks.length < 2 ? first : Buffer.concat(this.#chunks, this.#size),
      bytes: this.#size,
      durationMs: performance.now() - this.#startedAt,
      request: this.call.request,
    };
  }

  // The connection is torn down: the rest of the answer is unread.
  #giveUp(reason: unknown): void {
    if (this.#finish()) this.reject(reason);
    this.#controller?.abort(new Error("given up"));
  }

  #finish(): boolean {
    if (this.#done) return false;
    this.#done = true;
    clearTimeout(this.#timer);
    this.#unlisten?.();
    this.call.sink?.off("error", this.#onSinkEnd).off("close", this.#onSinkEnd);
    return true;
  }

  #facts(): CallFacts {
    const { operation } = this.call;
    const credential = operation.auth === "client_token" ? operation.auth : undefined;
    return { ...factsOf(operation, this.#status), sent: this.#sent, credential };
  }
}

/** Streams a source as a body; `failure` is the source's own. One that is not as long as it was to be fails. */
function streamBody(operation: string, source: ByteSource, onProgress: () => void) {
  let failure: unknown;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let size = 0;
    try {
      for await (const piece of source.open()) {
        size += piece.byteLength;
        if (source.size !== undefined && size > source.size) break;
        yield piece;
        onProgress();
      }
      if (source.size !== undefined && size !== source.size) {
        throw new InputError(
          `${operation}: the body is not as long as it was when the call began; it was broken off. Send it again when nobody writes to it`,
        );
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return { stream: Readable.from(pieces(), { objectMode: false }), failure: () => failure };
}
