import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "../../../src/domain/words/texts.js";

test("a plain word stays readable", () => {
  for (const word of ["sync", "--roster", "users.csv", "/a/b-c_d", "a=1,b:2%+@"])
    expect(shellWord(word)).toBe(word);
});

test("a shell reads every word back as it was", () => {
  const words = [
    "",
    " ",
    "it's",
    "$HOME",
    "`id`",
    "a b",
    "*",
    "~",
    "a\nb",
    '"',
    "\\",
    "ž",
    "-",
    "#",
    "!",
    "&;|",
  ];
  const line = `printf '%s\\0' ${words.map(shellWord).join(" ")}`;
  expect(execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" }).split("\0").slice(0, -1)).toEqual(words);
});
