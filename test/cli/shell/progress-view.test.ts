import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createProgressView } from "../../../src/cli/shell/progress-view.js";
import { type Terminal, withTimeStamps } from "../../../src/cli/terminal/terminal.js";
import { type WaitingState, waitingState } from "../../../src/domain/waiting.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";

interface Shown {
  readonly done: number;
  readonly parts?: number;
  readonly waits?: WaitingState;
}

const began = new Date(2026, 10, 22, 2, 0, 0);
let said: string[];
beforeEach(() => {
  said = [];
  vi.useFakeTimers({ now: began });
});
afterEach(() => void vi.useRealTimers());

const log = { ...SILENT, say: (line: string) => void said.push(line) };

function openView(terminal: Terminal = log) {
  return createProgressView<Shown>(withTimeStamps(terminal), {
    bar: "",
    figures: ({ done }) => ({ done, total: 100 }),
    line: ({ done, total }) => `reading: ${done}/${total} links`,
    paced: ({ done, parts = done }) => ({ amount: parts * 100, unit: "rows", expected: 100, done: parts }),
    waiting: ({ waits }) => waits ?? waitingState([]),
  });
}

/** Shows a progress each half second, as a command does that watches its run. */
function watch(view: ReturnType<typeof openView>, seconds: number, shown: (second: number) => Shown): void {
  for (let half = 0; half < seconds * 2; half += 1) {
    vi.advanceTimersByTime(500);
    view.show(shown((Date.now() - began.getTime()) / 1_000));
  }
}

test("a line every few seconds, with its time, rate and estimate", () => {
  watch(openView(), 21, (second) => ({ done: Math.floor(second) }));
  expect(said).toHaveLength(7);
  expect(said[0]).toMatch(/^2026-11-22T02:00:03[+-]\d\d:\d\d reading: 3\/100 links, 120 rows\/s$/);
  expect(said[6]).toMatch(/02:00:21.* reading: 21\/100 links, 102 rows\/s, 2 min left$/);
});

test("lines on a dumb terminal too, which draws no bar", () => {
  watch(openView({ ...log, interactive: true, env: { TERM: "dumb" } }), 4, () => ({ done: 1 }));
  expect(said[0]).toMatch(/^reading: 1\/100 links/);
});

test("no line where nothing has changed", () => {
  const view = openView();
  watch(view, 600, () => ({ done: 5 }));
  expect(said).toHaveLength(1);
  watch(view, 3, () => ({ done: 6 }));
  expect(said).toHaveLength(2);
});

test("a count never goes backwards, because rows that were read may become fewer when they are committed", () => {
  const view = openView();
  watch(view, 4, () => ({ done: 30 }));
  watch(view, 4, () => ({ done: 12 }));
  watch(view, 4, () => ({ done: 31 }));
  expect(said.join()).toContain("30/100");
  expect(said.join()).not.toContain("12/100");
  expect(said.join()).toContain("31/100");
});

test("things that end together have an estimate by their parts, as soon as one of them is done", () => {
  watch(openView(), 21, (second) => ({ done: second > 20 ? 1 : 0, parts: second / 2 }));
  expect(said.at(-1)).toMatch(/1\/100 links, 50 rows\/s, 3 min left$/);
});
