import { expect, test } from "vitest";
import { waitingLines, waitingNews } from "../../../src/cli/terminal/waiting-lines.js";
import {
  type Waiting,
  type WaitingName,
  type WaitingState,
  waitingState,
} from "../../../src/domain/waiting.js";

const now = new Date(2026, 10, 22, 1, 20, 0).getTime();
const instant = (ms: number) => new Date(now + ms).toISOString();

function waiting(name: WaitingName, attempts = 6, next = 40_000): Waiting {
  return {
    ...name,
    ...{ reason: "http_503", attempts },
    ...{ next_try_at: instant(next), gives_up_at: instant(45 * 60_000) },
  };
}
const state = (...waits: Waiting[]): WaitingState => ({
  ...waitingState([]),
  waiting: waits,
  waiting_total: waits.length,
});
const links = (count: number, attempts = 1) =>
  Array.from({ length: count }, (_, n) => waiting({ link: `link_${n}` }, attempts));
const throttled = (ms: number) => ({ ...waitingState([]), throttled_until: instant(ms) });

test.for([
  ["nothing", waitingState([]), []],
  [
    "a link",
    state(waiting({ link: "link_1" })),
    ["waiting: link_1 http_503, 7th try at 01:20:40, gives up after 02:05"],
  ],
  [
    "a row, for minutes",
    state(waiting({ line: 12, owner: "fp_1" }, 10, 7 * 60_000)),
    ["waiting: line 12, fp_1 http_503, 11th try at 01:27:00, gives up after 02:05"],
  ],
  [
    "a link, for the last time",
    state(waiting({ link: "link_1" }, 6, 45 * 60_000)),
    ["waiting: link_1 http_503, 7th and last try at 02:05"],
  ],
  ["the service", throttled(47 * 60_000), ["waiting: throttled by the service until 02:07"]],
  [
    "a place among the calls in flight",
    { ...waitingState([]), waits_for_place: true },
    ["waiting: for the call limit; other calls have all places"],
  ],
  ["a pause that is over", throttled(-1), []],
  [
    "many links",
    { ...state(...links(20)), waiting_total: 137 },
    [...links(5).map((_, n) => expect.stringContaining(`link_${n}`)), "waiting: and 132 more"],
  ],
] as [string, WaitingState, string[]][])("a run that waits for %s", ([_, waits, lines]) => {
  expect(waitingLines(waits, now)).toEqual(lines);
});

test.for([1, 2, 3, 4, 11, 12, 13, 21, 22, 111] as const)("try %i is named as people do", (attempt) => {
  const words = ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "111th"];
  const [line] = waitingLines(state(waiting({ link: "a" }, attempt - 1)), now);
  expect(words.filter((word) => line?.includes(`, ${word} try`))).toEqual([
    words.find((word) => Number.parseInt(word, 10) === attempt),
  ]);
});

const one = state(waiting({ link: "a" }, 1));
test.for([
  ["nothing has changed", one, one, []],
  ["its next try has come near", one, state(waiting({ link: "a" }, 1, 1_000)), []],
  ["it failed again", one, state(waiting({ link: "a" }, 2)), [/^waiting: a http_503, 3rd try/]],
  ["another one failed", one, state(waiting({ link: "a" }, 1), waiting({ link: "b" }, 1)), [/^waiting: b /]],
  [
    "the service asks for a pause",
    waitingState([]),
    throttled(60_000),
    [/^waiting: throttled by the service/],
  ],
  [
    "more wait than are named",
    waitingState([]),
    { ...state(...links(20)), waiting_total: 137 },
    [/link_0/, /link_1/, /link_2/, /link_3/, /link_4/, /^waiting: 137 in all$/],
  ],
] as [string, WaitingState, WaitingState, RegExp[]][])(
  "a log says what is new: %s",
  ([_, before, after, news]) => {
    expect(waitingNews(before, after, now)).toEqual(news.map((line) => expect.stringMatching(line)));
  },
);
