import type { IncomingHttpHeaders } from "node:http";
import type { Readable, Writable } from "node:stream";
import type { Dispatcher } from "undici";
import { isWrite, type Operation } from "../operations/operation.js";
import type { ByteSource } from "../schemas/byte-source.js";
import { onAbort } from "./abort-listeners.js";
import { type CallFacts, SchemaError, TransientError } from "./errors.js";
import { contentProblem, networkError, notJson, statusError, tooLarge } from "./failure-errors.js";
import { MOST_READ, type RefusalBody } from "./refusal-words.js";
import { type StreamedBody, streamBody } from "./request-body.js";

// A refusal's body decides nothing, but the connection can be reused only after it, so it gets a short time.
const DISCARD_MS = 1000;
const DISCARD_BYTES = 64 * 1024;

/** A 2xx answer, its body byte for byte as it came. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Milliseconds from the start of the request to the last byte of the answer. */
  readonly durationMs: number;
}

export interface ExchangeLimits {
  /** Milliseconds from the start, connecting included, to the answer's headers. */
  readonly headersTimeoutMs: number;
  /** Milliseconds from the headers to the last byte of the body, however steadily it drips. */
  readonly bodyTimeoutMs: number;
  readonly maxBodyBytes: number;
}

interface ExchangeEvents {
  /** Asked right before the first byte leaves; an error given here stops the request unsent. */
  readonly beforeSend: () => Error | undefined;
  readonly onHead: (status: number, headers: IncomingHttpHeaders) => void;
}

/** One call on the wire: its operation, and what is special about it. */
export interface ExchangeCall {
  readonly operation: Operation;
  readonly source?: ByteSource | undefined;
  /** Which statuses are an answer: behind a proxy they may be the target's. Left out: 2xx. */
  readonly accepts?: ((status: number) => boolean) | undefined;
  /** Gets the body piece by piece instead of {@link Reply.body}; `maxBodyBytes` doesn't count then. */
  readonly sink?: Writable | undefined;
  /** Milliseconds to wait for the headers, on top of the limit. */
  readonly extraTimeoutMs?: number;
  /** Reads what the body of a refusal says, masked; left out, the body is ignored. */
  readonly wordsOf?: ((body: RefusalBody) => string | undefined) | undefined;
}

/** Sends one request, once, and gives its 2xx answer or throws an ApiError, or what `signal` was aborted with. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  call: ExchangeCall,
  limits: ExchangeLimits,
  events: ExchangeEvents,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const state = new Exchange(call, limits, events, signal, resolve, reject);
    const body = state.requestBody();
    dispatcher.dispatch(body === undefined ? request : { ...request, body }, state);
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
  #body: StreamedBody | undefined;
  #isWhole = false;
  readonly #chunks: Buffer[] = [];
  #unlisten: (() => void) | undefined;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #onSinkEnd = (error?: Error) => this.#giveUp(error ?? new Error("the sink was closed"));

  constructor(
    readonly call: ExchangeCall,
    readonly limits: ExchangeLimits,
    readonly events: ExchangeEvents,
    signal: AbortSignal | undefined,
    readonly resolve: (reply: Reply) => void,
    readonly reject: (reason: unknown) => void,
  ) {
    this.#timer = this.#startTimer(this.#headersLimitMs());
    if (signal !== undefined) this.#unlisten = onAbort(signal, () => this.#giveUp(signal.reason));
    call.sink?.on("error", this.#onSinkEnd).on("close", this.#onSinkEnd);
  }

  /** The body to send, where it is streamed: each piece taken shows life, so the timeout starts again. */
  requestBody(): Readable | undefined {
    const { source } = this.call;
    if (source === undefined) return undefined;
    this.#body = streamBody(this.call.operation.name, source, () => {
      if (this.#done || this.#status !== undefined) return;
      clearTimeout(this.#timer);
      this.#timer = this.#startTimer(this.#headersLimitMs());
    });
    return this.#body.stream;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const stop = this.#done ? new Error("given up") : this.events.beforeSend();
    this.#startedAt = performance.now();
    if (stop === undefined) this.#sent = true;
    else this.#giveUp(stop);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#done) return;
    this.#status = status;
    this.#headers = headers;
    this.#failure = this.#judgeHead(status, headers);
    this.events.onHead(status, headers);
    clearTimeout(this.#timer);
    const failure = this.#failure;
    this.#timer =
      failure === undefined
        ? this.#startTimer(this.limits.bodyTimeoutMs)
        : setTimeout(() => this.#giveUp(failure()), Math.min(DISCARD_MS, this.limits.bodyTimeoutMs));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return;
    this.#size += chunk.length;
    if (this.#failure !== undefined) {
      if (this.#size - chunk.length <= MOST_READ) this.#chunks.push(chunk);
      if (this.#size > DISCARD_BYTES) this.#giveUp(this.#failure());
    } else if (this.call.sink !== undefined) {
      this.#pour(this.call.sink, controller, chunk);
    } else if (this.#size > this.limits.maxBodyBytes) {
      this.#giveUp(new SchemaError(this.#facts(), "", tooLarge(this.limits.maxBodyBytes)));
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

  /** Makes the error for an answer with this head; called once no more of its body will come. */
  #judgeHead(status: number, headers: IncomingHttpHeaders): (() => Error) | undefined {
    if (status >= 300 && !this.call.accepts?.(status)) {
      const facts = { ...this.#facts(), status };
      return () => statusError(facts, headers, () => this.#said());
    }
    if (this.call.sink !== undefined) return undefined;
    const { operation } = this.call;
    const problem = operation.answers === "bytes" ? undefined : contentProblem(headers);
    if (problem !== undefined) return () => notJson(this.#facts(), isWrite(operation), problem);
    const { maxBodyBytes } = this.limits;
    return Number(headers["content-length"] ?? 0) > maxBodyBytes
      ? () => new SchemaError(this.#facts(), "", tooLarge(maxBodyBytes))
      : undefined;
  }

  #said(): string | undefined {
    const encoding = this.#headers["content-encoding"];
    return this.call.wordsOf?.({ bytes: Buffer.concat(this.#chunks), isWhole: this.#isWhole, encoding });
  }

  // A full sink pauses the connection; the timeout does not run meanwhile.
  #pour(sink: Writable, controller: Dispatcher.DispatchController, chunk: Buffer): void {
    clearTimeout(this.#timer);
    if (sink.write(chunk)) {
      this.#timer = this.#startTimer(this.limits.bodyTimeoutMs);
      return;
    }
    controller.pause();
    sink.once("drain", () => {
      if (this.#done) return;
      this.#timer = this.#startTimer(this.limits.bodyTimeoutMs);
      controller.resume();
    });
  }

  #headersLimitMs(): number {
    return this.limits.headersTimeoutMs + (this.call.extraTimeoutMs ?? 0);
  }

  #startTimer(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#giveUp(new TransientError(this.#facts(), "timeout")), ms);
  }

  #reply(): Reply {
    const durationMs = performance.now() - this.#startedAt;
    return { status: this.#status ?? 0, headers: this.#headers, body: this.#answerBody(), durationMs };
  }

  #answerBody(): Buffer {
    const [only] = this.#chunks;
    return only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks, this.#size);
  }

  // Answers the caller at once; the connection is torn down, because the rest of the answer is unread.
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
    const { name, auth, idempotent } = this.call.operation;
    const credential = auth === "client_token" ? auth : undefined;
    return { operation: name, sent: this.#sent, credential, write: !idempotent, status: this.#status };
  }
}
