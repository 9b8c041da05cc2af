import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { type CallFacts, SchemaError, TransientError } from "./errors.js";
import { headProblem, networkError, statusError, tooLarge } from "./failure.js";

// A refusal's body isn't read, but a connection can be used again only after it: give it a moment, not more.
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
export interface ExchangeEvents {
  /** Asked right before the first byte leaves; an error given here stops the request unsent. */
  readonly beforeSend: () => Error | undefined;
  /** A head came, before its body. */
  readonly onHead: (status: number, headers: IncomingHttpHeaders) => void;
}

/** Sends one request, once, and gives its 2xx answer or throws an ApiError, or what `signal` was aborted with. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  operation: string,
  limits: ExchangeLimits,
  events: ExchangeEvents,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const state = new Exchange(operation, limits, events, signal, resolve, reject);
    dispatcher.dispatch(request, state);
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  #sent = false;
  #settled = false;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  #failure: Error | undefined;
  #size = 0;
  readonly #chunks: Buffer[] = [];
  readonly #signal: AbortSignal | undefined;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #onAbort = () => this.#giveUp(this.#signal?.reason);

  constructor(
    readonly operation: string,
    readonly limits: ExchangeLimits,
    readonly events: ExchangeEvents,
    signal: AbortSignal | undefined,
    readonly resolve: (reply: Reply) => void,
    readonly reject: (reason: unknown) => void,
  ) {
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#giveUp(this.#timeout()), limits.headersTimeoutMs);
    signal?.addEventListener("abort", this.#onAbort, { once: true });
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
        ? setTimeout(() => this.#giveUp(this.#timeout()), this.limits.bodyTimeoutMs)
        : setTimeout(() => this.#giveUp(failure), Math.min(DISCARD_MS, this.limits.bodyTimeoutMs));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#size += chunk.length;
    if (this.#failure !== undefined) {
      if (this.#size > DISCARD_BYTES) this.#giveUp(this.#failure);
    } else if (this.#size > this.limits.maxBodyBytes) {
      this.#giveUp(new SchemaError(this.#facts(), "", tooLarge(this.limits.maxBodyBytes)));
    } else {
      this.#chunks.push(chunk);
    }
  }

  onResponseEnd(): void {
    if (!this.#settle()) return;
    if (this.#failure !== undefined) this.reject(this.#failure);
    else this.resolve({ status: this.#status ?? 0, headers: this.#headers, body: this.#body() });
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#settle()) this.reject(this.#failure ?? networkError(this.#facts(), error));
  }

  #judgeHead(status: number, headers: IncomingHttpHeaders): Error | undefined {
    if (status >= 300) return statusError({ ...this.#facts(), status }, headers);
    const problem = headProblem(headers, this.limits.maxBodyBytes);
    return problem === undefined ? undefined : new SchemaError(this.#facts(), "", problem);
  }

  #body(): Buffer {
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
    this.#signal?.removeEventListener("abort", this.#onAbort);
    return true;
  }

  #timeout(): TransientError {
    return new TransientError(this.#facts(), "timeout");
  }

  #facts(): CallFacts {
    const facts = { operation: this.operation, sent: this.#sent };
    return this.#status === undefined ? facts : { ...facts, status: this.#status };
  }
}
