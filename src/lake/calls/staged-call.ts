import { canonicalJson } from "../../domain/json/value.js";
import type { SealedStore } from "../store/sealed-store.js";

/** The user whose data a client operation reads or writes. */
export interface DataOwner {
  readonly fp_id: string;
  readonly decrypt_reason?: string;
  /** Seconds for which the call's token is good; left out, enough for a call that has to wait. */
  readonly ttl?: number;
}

/** A request in the staging area: personal or secret values never go through a workflow's history. */
export interface SealedRequest {
  readonly operation: string;
  readonly params: object;
  /** Key of a sealed stream in the lake (`lake/store/sealed-store.ts`), and the hash of its plain bytes. */
  readonly bytes?: { readonly stream: string; readonly sha256: string };
  /** Of a client operation: whose data a token is made for. */
  readonly owner?: DataOwner;
  /** Of a proxy call: accept any status as the target's answer. */
  readonly anyStatus?: boolean;
  /**
   * Of an import: look at once for rows that a refused request has brought, or only where an earlier request of the call
   * was lost. Left out: a refused request brought none.
   */
  readonly lookAfter?: "refusal" | "repetition";
}

export interface KeptAnswer<A> {
  readonly operation: string;
  readonly at: number;
  /** Requests that may have reached the service until then. */
  readonly asked: number;
  readonly body: A;
}

/** What a vault proxy's target answered; its bytes are a sealed stream. */
export interface ProxyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly bytes: number;
  readonly sha256: string;
}

export function requestKey(prefix: string): string {
  return `${prefix}request`;
}

export function answerKey(prefix: string): string {
  return `${prefix}answer`;
}

/** Stages the request of a call, durably and once; returns the staged one, which may be an earlier one. */
export async function stageRequest(
  sealed: SealedStore,
  prefix: string,
  request: SealedRequest,
): Promise<SealedRequest> {
  return sealed.kept<SealedRequest>(requestKey(prefix)).keep(request);
}

/** Whether two requests ask for the same; streams are compared by what they hold. */
export function isSameRequest(one: SealedRequest, other: SealedRequest): boolean {
  return identityOf(one) === identityOf(other);
}

function identityOf({ bytes, ...request }: SealedRequest): string {
  return canonicalJson({ ...request, bytes: bytes?.sha256 });
}
