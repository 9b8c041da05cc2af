import { expect, test } from "vitest";
import { aboutOthers } from "../../../src/domain/bulk/bulk-job.js";

/** `asked answered`, those that fail marked by `!`; in brackets what an answer names by another field. */
test.each<[string, string]>([
  ["all name whom was asked for", "a a, b b"],
  ["some do, so that the others are about others", "a a, b x !, c y !"],
  ["one report for everybody: the true one stays", "a a, b a !, c a !"],
  ["two share one, and neither is asked for", "a x !, b x !, c y"],
  ["two are mixed up with each other", "a b !, b a !"],
  ["none names whom was asked for, and all are different: another kind of id", "a x, b y, c z"],
  ["one alone tells nothing", "a x"],
  ["all of what one was given are its own, also what it was given twice", "a x, a y, a y, b z"],
  ["a part of what one was given is another's", "a x, a y !, b y !, b z"],
  ["what one field promises says nothing of another", "a a, [b] x, [c] y"],
  ["none", ""],
])("%s", (_, text) => {
  const answers = text
    .split(", ")
    .filter((one) => one !== "")
    .map((one) => one.split(" "))
    .map(([asked = "", answered = "", mark]) => {
      return { field: asked.startsWith("[") ? "data[].id" : "user_id", asked, answered, mark };
    });
  expect(aboutOthers(answers)).toEqual(answers.filter(({ mark }) => mark === "!"));
});
