import { expect, test } from "vitest";
import { actionForm, commandOf } from "../../../src/cli/board/actions.js";

const ASKED = { part: () => "", filter: () => undefined };

test("a button is the command that it shows", () => {
  expect(commandOf("run-retry", "sync-20261121T010000Z-abc123", "again")).toEqual([
    "runs",
    "retry",
    "sync-20261121T010000Z-abc123",
  ]);
  expect(commandOf("row-resolve", "q_0123", "a test row")).toEqual([
    "quarantine",
    "resolve",
    "--row",
    "q_0123",
    "--reason",
    "a test row",
  ]);
  expect(actionForm({ ...ASKED, form: "k" }, "schedule-pause", "nightly")?.html).toContain(
    "<code>nightledger schedule pause nightly --reason &quot;…&quot;</code>",
  );
});

test("no two buttons are taken for one that is pressed twice", () => {
  const [one, two] = [1, 2].map(() => actionForm({ ...ASKED, form: "k" }, "run-retry", "r")?.html ?? "");
  const token = (form = "") => /name="once" value="([^"]+)"/.exec(form)?.[1];
  expect(token(one)).toMatch(/^[0-9a-f-]{36}$/);
  expect(token(one)).not.toBe(token(two));
});

test.for([
  ["an option", "run-cancel", "--json"],
  ["two words", "run-cancel", "a b"],
  ["nothing", "run-cancel", ""],
  ["a path", "batch-retry", "../x"],
  ["another command", "call", "get_user"],
  ["what every object has", "toString", "x"],
])("%s is no command of the board", ([, name, subject]) => {
  expect(commandOf(name ?? "", subject ?? "", "why")).toBeUndefined();
});

test("where pages are only read there are no buttons, and a name is escaped", () => {
  expect(actionForm(ASKED, "run-retry", "r")).toBeNull();
  expect(actionForm({ ...ASKED, form: "k" }, "run-retry", '"><script>')?.html).not.toContain("<script>");
});
