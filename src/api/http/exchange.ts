import type { IncomingHttpHeaders } from "node:http";
import type { Readable, Writable } from "node:stream";
import type { Dispatcher } from "undici";
import type { ByteSource } from "../schemas/byte-source.js";
import { onAbort } from "./abort-listeners.js";
import { type CallFacts, SchemaError, TransientError } from "./errors.js";
import { contentProblem, networkError, notJson, statusError, tooLarge } from "./failure-errors.js";
import { MOST_LOOKED_AT, type RefusalBody } from "./refusal-words.js";
import { type StreamedBody, streamBody } from "./request-body.js";

// Nothing depends on a refusal's body, but a connection can be used again only after it: give it a moment, not more.
const DISCARD_MS = 1000;
const DISCARD_BYTES = 64 * 1024;

/** A 2xx answer, its body byte for byte as it came. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** How long and how much an answer may be. */
export interface ExchangeLimits {
  /** Milliseconds from the start, connecting included, to the answer's headers. */
  readonly headersTimeoutMs: number;
  /** Milliseconds from the headers to the last byte of the body, however steadily it drips. */
  readonly bodyTimeoutMs: number;
  readonly maxBodyBytes: number;
}

/** What the client does at the turning points of an exchange. */
interface ExchangeEvents {
  /** Asked right before the first byte leaves; an error given here stops the request unsent. */
  readonly beforeSend: () => Error | undefined;
  /** A head came, before its body. */
  readonly onHead: (status: number, headers: IncomingHttpHeaders) => void;
}

/** What is not as usual in one exchange. */
export interface ExchangeForm {
  /** What the call is authenticated by, where it is not the secret key. */
  readonly credential?: "client_token" | undefined;
  /** Whether sending it again may do harm. */
  readonly write?: boolean | undefined;
  /** Whether it changes something at the service: an answer that is no JSON is lost then. */
  readonly changes?: boolean | undefined;
  /** A body that is read while it is sent. */
  readonly source?: ByteSource | undefined;
  /** Takes an answer of any content type as it is. */
  readonly anyContent?: boolean | undefined;
  /** Takes any status as an answer: it may be the target's behind a proxy. */
  readonly anyStatus?: boolean | undefined;
  /** Gets the body piece by piece instead of {@link Reply.body}; `maxBodyBytes` doesn't count then. */
  readonly sink?: Writable | undefined;
  /** Milliseconds to wait for the head, on top of the limit. */
  readonly patienceMs?: number | undefined;
  /** Reads what the body of a refusal says, masked; left out, none is looked at. */
  readonly wordsOf?: ((body: RefusalBody) => string | undefined) | undefined;
}

/** Sends one request, once, and gives its 2xx answer or throws an ApiError, or what `signal` was aborted with. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  operation: string,
  limits: ExchangeLimits,
  events: ExchangeEvents,
  signal: AbortSignal | undefined,
  form: ExchangeForm = {},
): Promise<Reply> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const state = new Exchange(operation, limits, events, form, signal, resolve, reject);
    const body = state.requestBody();
    dispatcher.dispatch(body === undefined ? request : { ...request, body }, state);
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  #sent = false;
  #settled = false;
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
    readonly operation: string,
    readonly limits: ExchangeLimits,
    readonly events: ExchangeEvents,
    readonly form: ExchangeForm,
    signal: AbortSignal | undefined,
    readonly resolve: (reply: Reply) => void,
    readonly reject: (reason: unknown) => void,
  ) {
    this.#timer = this.#headTimer();
    if (signal !== undefined) this.#unlisten = onAbort(signal, () => this.#giveUp(signal.reason));
    form.sink?.on("error", this.#onSinkEnd).on("close", this.#onSinkEnd);
  }

  /** The body to send, where it is streamed: each piece taken shows life, so the time limit begins anew. */
  requestBody(): Readable | undefined {
    const { source } = this.form;
    if (source === undefined) return undefined;
    this.#body = streamBody(this.operation, source, () => {
      if (this.#settled || this.#status !== undefined) return;
      clearTimeout(this.#timer);
      this.#timer = this.#headTimer();
    });
    return this.#body.stream;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const stop = this.#settled ? new Error("given up") : this.events.beforeSend();
    if (stop === undefined) this.#sent = true;
    else this.#giveUp(stop);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#settled) return;
    this.#status = status;
    this.#headers = headers;
    this.#failure = this.#judgeHead(status, headers);
    this.events.onHead(status, headers);
    clearTimeout(this.#timer);
    const failure = this.#failure;
    this.#timer =
      failure === undefined
        ? this.#bodyTimer()
        : setTimeout(() => this.#giveUp(failure()), Math.min(DISCARD_MS, this.limits.bodyTimeoutMs));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#size += chunk.length;
    if (this.#failure !== undefined) {
      if (this.#size - chunk.length <= MOST_LOOKED_AT) this.#chunks.push(chunk);
      if (this.#size > DISCARD_BYTES) this.#giveUp(this.#failure());
    } else if (this.form.sink !== undefined) {
      this.#pour(this.form.sink, controller, chunk);
    } else if (this.#size > this.limits.maxBodyBytes) {
      this.#giveUp(new SchemaError(this.#facts(), "", tooLarge(this.limits.maxBodyBytes)));
    } else {
      this.#chunks.push(chunk);
    }
  }

  onResponseEnd(): void {
    if (!this.#settle()) return;
    this.#isWhole = true;
    if (this.#failure !== undefined) this.reject(this.#failure());
    else this.resolve({ status: this.#status ?? 0, headers: this.#headers, body: this.#answerBody() });
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (!this.#settle()) return;
    this.reject(this.#failure?.() ?? this.#body?.failure() ?? networkError(this.#facts(), error));
  }

  /** What an answer with this head is thrown as, once as much of its body is there as will come. */
  #judgeHead(status: number, headers: IncomingHttpHeaders): (() => Error) | undefined {
    if (status >= 300 && !this.form.anyStatus) {
      const facts = { ...this.#facts(), status };
      return () => statusError(facts, headers, () => this.#said());
    }
    if (this.form.sink !== undefined) return undefined;
    const { anyContent = false, changes = false } = this.form;
    const problem = anyContent ? undefined : contentProblem(headers);
    if (problem !== undefined) return () => notJson(this.#facts(), changes, problem);
    const { maxBodyBytes } = this.limits;
    return Number(headers["content-length"] ?? 0) > maxBodyBytes
      ? () => new SchemaError(this.#facts(), "", tooLarge(maxBodyBytes))
      : undefined;
  }

  #said(): string | undefined {
    const encoding = this.#headers["content-encoding"];
    return this.form.wordsOf?.({ bytes: Buffer.concat(this.#chunks), isWhole: this.#isWhole, encoding });
  }

  // A sink that is full holds the connection back; no time runs while it does.
  #pour(sink: Writable, controller: Dispatcher.DispatchController, chunk: Buffer): void {
    clearTimeout(this.#timer);
    if (sink.write(chunk)) {
      this.#timer = this.#bodyTimer();
      return;
    }
    controller.pause();
    sink.once("drain", () => {
      if (this.#settled) return;
      this.#timer = this.#bodyTimer();
      controller.resume();
    });
  }

  #headTimer(): NodeJS.Timeout {
    const wait = this.limits.headersTimeoutMs + (this.form.patienceMs ?? 0);
    return setTimeout(() => this.#giveUp(this.#timeout()), wait);
  }

  #bodyTimer(): NodeJS.Timeout {
    return setTimeout(() => this.#giveUp(this.#timeout()), this.limits.bodyTimeoutMs);
  }

  #answerBody(): Buffer {
    const [only] = this.#chunks;
    return only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks, this.#size);
  }

  // Answers the caller at once; the connection is torn down, because the rest of the answer is unread.
  #giveUp(reason: unknown): void {
    if (this.#settle()) this.reject(reason);
    this.#controller?.abort(new Error("given up"));
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#unlisten?.();
    this.form.sink?.off("error", this.#onSinkEnd).off("close", this.#onSinkEnd);
    return true;
  }

  #timeout(): TransientError {
    return new TransientError(this.#facts(), "timeout");
  }

  #facts(): CallFacts {
    const { credential, write } = this.form;
    const facts = {
      operation: this.operation,
      sent: this.#sent,
      ...(credential === undefined ? {} : { credential }),
      ...(write ? { write } : {}),
    };
    return this.#status === undefined ? facts : { ...facts, status: this.#status };
  }
}
