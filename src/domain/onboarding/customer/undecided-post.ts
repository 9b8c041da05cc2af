/**
 * Milliseconds within which a living worker tries an unfinished row of another batch again: the longest wait between
 * two attempts at a step (`workflows/policies.ts`), and a minute.
 */
const TRIED_AGAIN_MS = 360_000;

/** An onboarding that another batch asked for without knowing the result. */
export interface UndecidedPost {
  readonly state: "not sent" | "sent" | "answered";
  /** Milliseconds since its last request. */
  readonly ageMs: number;
  /** Milliseconds after which a request that left no effect has none. */
  readonly settlesAfterMs: number;
  /** Whether its row has its outcome: only `runs retry` sends it again. */
  readonly isOver: boolean;
}

/** Milliseconds until the results of all are known, `waitedMs` after they were seen first; 0 where they are known. */
export function undecidedMs(posts: readonly UndecidedPost[], waitedMs: number): number {
  const waits = posts.map(({ state, ageMs, settlesAfterMs, isOver }) => {
    if (state !== "sent") return 0;
    return Math.max(settlesAfterMs - ageMs, isOver ? 0 : TRIED_AGAIN_MS - waitedMs);
  });
  return Math.max(0, ...waits);
}
