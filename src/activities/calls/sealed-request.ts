import { InputError } from "../../domain/failures.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";

/** Bytes that a request sends as its body. */
export type RequestBytes =
  /** A file that the worker can read. */
  | { readonly file: string }
  /** Key of a sealed stream in the lake (`lake/sealed-stream.ts`). */
  | { readonly stream: string }
  | { readonly base64: string };

/** A request as it waits in the staging area: what may be personal or secret never goes through a history. */
export interface SealedRequest {
  /** Parameters of the operation; checked when the call is made. */
  readonly params: object;
  /** The body of an operation that sends bytes. */
  readonly bytes?: RequestBytes;
  /** Of a client operation: whose data it is about; a token is made for it. */
  readonly owner?: { readonly fp_id: string; readonly decrypt_reason?: string };
  /** Of a proxy call: any status is the target's answer. */
  readonly anyStatus?: boolean;
}

const LAST = "request";

/** Stages a request of a run, durably, under a name of its own; gives its key, which a workflow passes on. */
export async function putRequest(
  sealed: SealedStore,
  run: string,
  name: string,
  request: SealedRequest,
): Promise<string> {
  const key = `_staging/${run}/calls/${name}/${LAST}`;
  await sealed.put(key, request, { durable: true });
  return key;
}

/** The staging prefix of the call that a request belongs to. @throws InputError for another kind of key. */
export function prefixOf(requestKey: string): string {
  if (/^_staging\/.+\/request$/.test(requestKey)) return requestKey.slice(0, -LAST.length);
  throw new InputError(
    "a call's request has a key that is none of staging; nothing was sent. See putRequest",
  );
}
