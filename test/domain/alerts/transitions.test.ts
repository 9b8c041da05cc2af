import { expect, test } from "vitest";
import type { RuleName } from "../../../src/domain/alert-settings.js";
import {
  type AlertEvent,
  type Cause,
  overWords,
  transitions,
} from "../../../src/domain/alerts/transitions.js";

const cause = (rule: RuleName, subject: string, message = "m"): Cause => {
  return { rule, subject, message, action: "a", runId: null };
};
const alert = (rule: RuleName, subject: string): AlertEvent => {
  return { ...cause(rule, subject), alertId: `alert ${rule} ${subject}`, state: "raised", at: 0 };
};
const links = cause("failed-links", "links");
const missing = cause("run-missing", "schedule/a");

test.each<[string, AlertEvent[], Cause[], RuleName[], string[], string[]]>([
  ["nothing", [], [], ["failed-links"], [], []],
  ["a new cause", [], [links], ["failed-links"], ["links"], []],
  [
    "a cause that lasts, in other words",
    [alert("failed-links", "links")],
    [cause("failed-links", "links", "more")],
    ["failed-links"],
    [],
    [],
  ],
  ["a cause that is gone", [alert("failed-links", "links")], [], ["failed-links"], [], ["links"]],
  ["a rule that was not judged", [alert("failed-links", "links")], [], ["max-age"], [], []],
  [
    "two subjects of one rule",
    [alert("run-missing", "schedule/a"), alert("run-missing", "schedule/b")],
    [missing, cause("run-missing", "schedule/c")],
    ["run-missing"],
    ["schedule/c"],
    ["schedule/b"],
  ],
])("%s", (_, open, causes, judged, raised, cleared) => {
  const { raise, clear } = transitions(open, causes, judged);
  expect(raise.map(({ subject }) => subject)).toEqual(raised);
  expect(clear.map(({ subject }) => subject)).toEqual(cleared);
});

test("what is over says of which schedule", () => {
  expect(overWords(missing)).toBe("schedule a: no run is missing any more");
  expect(overWords(links)).toBe("no more bank links fail than allowed");
});
