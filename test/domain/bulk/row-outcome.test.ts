import { expect, test } from "vitest";
import { UNTRIED } from "../../../src/domain/backoff.js";
import { afterRowOutcome } from "../../../src/domain/bulk/row-outcome.js";
import { HOUR, MINUTE } from "../../../src/domain/duration.js";

/** When a row ends that is answered the same each time, and when it said that it would, in minutes since its first try. */
function endOf(
  reason: string,
  others: { answered: number; failing: number },
  retryAfterMs: number | null = null,
) {
  const outcome = { kind: "transient", reason, retryAfterMs } as const;
  let progress = UNTRIED;
  let said = 0;
  for (let at = 1_000; ; at = progress.notBefore) {
    const verdict = afterRowOutcome(progress, outcome, at, 1, others);
    if (verdict.kind !== "again") return { ...verdict, minutes: (at - 1_000) / MINUTE, said };
    progress = verdict.progress;
    said = ((progress.givesUpAt ?? HOUR + 1_000) - 1_000) / MINUTE;
  }
}

test.each([
  ["alone", "http_500", { answered: 1, failing: 0 }],
  ["with two others among many", "http_502", { answered: 21, failing: 2 }],
] as const)("a row that is answered 5xx each time, %s, ends after ten minutes", (_, reason, others) => {
  expect(endOf(reason, others)).toEqual({
    kind: "failed",
    reason: `gave_up ${reason}`,
    minutes: 10,
    said: 10,
  });
});

test.each([
  ["nothing else is answered", "http_500", { answered: 0, failing: 0 }, null],
  ["as many others fail as in an outage", "http_500", { answered: 20, failing: 2 }, null],
  ["it is not answered at all", "timeout", { answered: 99, failing: 0 }, null],
  ["the service says when to come again", "http_503", { answered: 99, failing: 0 }, 1_000],
] as const)("it has its hour where %s", (_, reason, others, retryAfterMs) => {
  const end = endOf(reason, others, retryAfterMs);
  expect(end).toMatchObject({ kind: "failed", said: 60 });
  expect(end.minutes).toBeGreaterThanOrEqual(HOUR / MINUTE);
});
