import type { Labelled } from "./words/texts.js";

export interface RefusedRequest {
  readonly status: number;
  /** The service's words, masked; null for none. Nothing depends on them. */
  readonly message: string | null;
}

export interface Refusals extends RefusedRequest {
  readonly count: number;
}

const MOST_KEPT = 10;

/** Keeps the first ten different ones. */
export function addRefusals(a: readonly Refusals[], b: readonly Refusals[]): readonly Refusals[] {
  if (b.length === 0) return a;
  const sum = [...a];
  for (const refused of b) {
    const at = sum.findIndex(
      ({ status, message }) => status === refused.status && message === refused.message,
    );
    const known = sum[at];
    if (known !== undefined) sum[at] = { ...known, count: known.count + refused.count };
    else if (sum.length < MOST_KEPT) sum.push(refused);
  }
  return sum;
}

/** `400: field "key": no such playbook`. */
export function refusalWords({ status, message }: RefusedRequest): string {
  return message === null ? `${status}` : `${status}: ${message}`;
}

/** `refused   30 × 400: field "key": no such playbook`. */
export function refusalsInWords(refusals: readonly Refusals[] = []): Labelled[] {
  return refusals.map(({ count, ...refused }) => ["refused", `${count} × ${refusalWords(refused)}`]);
}
