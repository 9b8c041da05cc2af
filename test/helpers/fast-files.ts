import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";

/** Seconds of CPU that each test file costs; files that cost less than half of one are left out. */
export const TIMES: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL("../times.json", import.meta.url), "utf8"),
);

/** A unit test file that is recorded with more is left to `.ci/run`. */
const SLOW_SECONDS = 1;
/** A file of `npm test` that costs more fails. */
const MOST_SECONDS = 1.5;
/** What the reference work takes where the recorded seconds are from, with the machine to itself. */
const REFERENCE_SECONDS = 0.0065;
const REFERENCE_ROUNDS = 40;
const TRIES = 3;
const MOST_WAITING = 3;

/** Unit test files that `npm test` leaves out. */
export const SLOW_FILES = Object.keys(TIMES).filter(
  (path) => !path.startsWith("test/integration/") && (TIMES[path] ?? 0) > SLOW_SECONDS,
);

/** The integration tests of `npm test`: one of each thing that only the whole program shows. */
export const SMOKE_FILES = [
  "board/working",
  "bulk/import",
  "bulk/signed-retry",
  "local/standard-output",
  "local/two-commands",
  "onboarding/outcomes",
  "schedules/overlap",
  "schedules/refused",
  "sync/lineage/explain",
  "sync/secrets",
  "sync/seen/investments",
  "sync/values",
  "webhooks/customers",
].map((name) => `test/integration/${name}.test.ts`);

const SUITES = ["bulk/import*", "onboarding/**/*", "runs/*", "sync/**/*", "webhooks/*"];

/** What they expect depends on how the service behaves: payloads, counts of calls, `Date` headers, or pairs the stand-in made. */
const CONTRACT_ALONE = [
  "onboarding/outcomes",
  "sync/lineage/pairs",
  "sync/pending-rows",
  "sync/population",
  "sync/seen/new-fields",
  "sync/values",
  "sync/wire",
  "webhooks/customers",
];

/** The integration tests that hold whether or not the service differs from its contract (`sandbox/behaviour.ts`). */
export const REAL_FILES = {
  include: SUITES.map((name) => `test/integration/${name}.test.ts`),
  exclude: CONTRACT_ALONE.map((name) => `test/integration/${name}.test.ts`),
};

/** @throws where a file costs more than one of `npm test` may, by the slower pace of this machine before and after it */
export function checkCost(path: string, seconds: number, paceBefore: number): void {
  if (seconds <= MOST_SECONDS) return;
  const paceAfter = machinePace();
  const own = seconds / Math.max(paceBefore, paceAfter);
  if (own <= MOST_SECONDS) return;
  throw new Error(
    `${path} costs ${own.toFixed(1)} s of CPU, and a file of npm test at most ${MOST_SECONDS}: make it cheaper, ` +
      `or move it to the slow ones by \`npm run test:times -- ${path}\`. It took ${seconds.toFixed(1)} s here, where ` +
      `work took ${paceBefore.toFixed(1)} times as long as on the recording machine before it, ` +
      `${paceAfter.toFixed(1)} times after it`,
  );
}

/**
 * How many times as much CPU as on the machine of the recorded seconds a piece of work may take now: a slower core needs
 * more for the same, and so does one whose caches others use, when more than three wait for it. Never less than 1.
 */
export function machinePace(): number {
  const tries = Array.from({ length: TRIES }, referenceSeconds).sort((a, b) => a - b);
  const pace = Math.max(1, (tries[TRIES >> 1] ?? 0) / REFERENCE_SECONDS);
  const [waiting = 0] = loadavg();
  return pace * Math.max(1, waiting / availableParallelism() / MOST_WAITING);
}

/** What tests do most: objects, their text, its bytes. */
function referenceSeconds(): number {
  const before = process.cpuUsage();
  for (let round = 0; round < REFERENCE_ROUNDS; round += 1) {
    const rows = Array.from({ length: 200 }, (_, number) => ({ number, name: `row ${number} of ${round}` }));
    Buffer.from(JSON.stringify(JSON.parse(JSON.stringify(rows))));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}
