import type { Writable } from "node:stream";
import type { ClientTokenGrant } from "../../domain/service/client-token-grant.js";

/** What a call that must not take effect twice records before it may leave. */
interface SendIntent {
  /** Called when the call may start, each time. If it throws, nothing is sent. */
  declare(): Promise<void>;
  /** Called right before the first byte leaves; without its intent, a call queues again. */
  holds(): boolean;
  /** Whether it may be declared while the call still waits: where an intent that was never sent does no harm. */
  readonly early: boolean;
}

export interface CallOptions {
  /** Ends the call, waiting or in flight; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The run it belongs to: once the service has refused its key, none of its calls starts any more. */
  readonly run?: string | undefined;
  /** Whether its subject is known to be in error: that it is refused then says nothing of what the key may do. */
  readonly mayBeRefused?: boolean | undefined;
  /** Epoch milliseconds: a call that can't start by then rejects with NotSentError. */
  readonly notAfter?: number | undefined;
  /** For a client operation; a text is a token from elsewhere. */
  readonly clientToken?: ClientToken | string | undefined;
  /**
   * Which statuses are an answer, whatever they say: behind a proxy it may be the target's, which looks like the
   * service's own. Such an answer neither pauses calls nor closes the run. Left out: 2xx.
   */
  readonly accepts?: ((status: number) => boolean) | undefined;
  readonly intent?: SendIntent | undefined;
  /** Values that a message must not quote, besides those that the request sends. */
  readonly withheld?: unknown;
  /** Gets the body of the answer piece by piece. */
  readonly sink?: Writable | undefined;
}

/** Authenticates client operations. */
export interface ClientToken {
  /** What the token allows. */
  readonly grant: ClientTokenGrant;
  /** The token's text: for the header of a call and for nothing else. */
  reveal(options?: CallOptions): Promise<string>;
}
