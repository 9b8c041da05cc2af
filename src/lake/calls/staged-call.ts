import { canonicalJson } from "../../domain/json.js";
import type { SealedStore } from "../store/sealed-store.js";

/** Bytes that a request sends as its body. */
export type RequestBytes =
  /** A file that the worker can read. */
  | { readonly file: string }
  /** Key of a sealed stream in the lake (`lake/store/sealed-stream.ts`), and the hash of its plain bytes. */
  | { readonly stream: string; readonly sha256: string }
  | { readonly base64: string };

/** A request as it waits in the staging area: what may be personal or secret never goes through a history. */
export interface SealedRequest {
  /** Name of the operation. */
  readonly operation: string;
  /** Parameters of the operation; checked when the call is made. */
  readonly params: object;
  /** The body of an operation that sends bytes. */
  readonly bytes?: RequestBytes;
  /** Of a client operation: whose data it is about; a token is made for it. */
  readonly owner?: { readonly fp_id: string; readonly decrypt_reason?: string };
  /** Of a proxy call: any status is the target's answer. */
  readonly anyStatus?: boolean;
}

/** An answer as it was kept. */
export interface KeptAnswer<A> {
  readonly operation: string;
  /** Epoch milliseconds at which it came. */
  readonly at: number;
  /** Requests that may have reached the service until then. */
  readonly asked: number;
  readonly body: A;
}

/** What a vault proxy's target answered; its bytes are a sealed stream. */
export interface ProxyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Key of the sealed stream. */
  readonly body: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Key of the request of the call that is staged below a prefix. */
export function requestKey(prefix: string): string {
  return `${prefix}request`;
}

/** Key of its answer. */
export function answerKey(prefix: string): string {
  return `${prefix}answer`;
}

/** Stages the request of a call, durably and once; gives the one that is staged, which may be an earlier one. */
export async function stageRequest(
  sealed: SealedStore,
  prefix: string,
  request: SealedRequest,
): Promise<SealedRequest> {
  const key = requestKey(prefix);
  return (await sealed.putIfAbsent(key, request)) ? request : sealed.require<SealedRequest>(key);
}

/** Whether two requests ask for the same; streams are compared by what they hold. */
export function isSameRequest(one: SealedRequest, other: SealedRequest): boolean {
  return identityOf(one) === identityOf(other);
}

function identityOf({ bytes, ...request }: SealedRequest): string {
  const content = bytes !== undefined && "stream" in bytes ? { sha256: bytes.sha256 } : bytes;
  return canonicalJson({ ...request, bytes: content });
}
