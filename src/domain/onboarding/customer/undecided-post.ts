/**
 * Milliseconds within which a row of another batch that has not come to its end is tried again, by a worker that is
 * there: the longest wait between two attempts at a step (`workflows/policies.ts`), and a minute.
 */
const TRIED_AGAIN_MS = 360_000;

/** An onboarding that another batch asked for, and of which was not known what became of it. */
export interface UndecidedPost {
  readonly state: "not sent" | "sent" | "answered";
  /** Milliseconds since its last request. */
  readonly ageMs: number;
  /** Milliseconds after which a request that left no effect has none. */
  readonly settlesAfterMs: number;
  /** Whether its row has its outcome: nothing is sent for it by itself any more. */
  readonly isOver: boolean;
}

/**
 * Milliseconds until it can be said what became of them, at the longest; 0 where it can be said now.
 *
 * @param waitedMs since the row that waits for them saw them first.
 */
export function undecidedMs(posts: readonly UndecidedPost[], waitedMs: number): number {
  const waits = posts.map(({ state, ageMs, settlesAfterMs, isOver }) => {
    if (state !== "sent") return 0;
    return Math.max(settlesAfterMs - ageMs, isOver ? 0 : TRIED_AGAIN_MS - waitedMs);
  });
  return Math.max(0, ...waits);
}
