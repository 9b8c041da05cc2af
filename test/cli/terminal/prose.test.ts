import { expect, test } from "vitest";
import { wrapped } from "../../../src/cli/terminal/prose.js";

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");

test.each([80, 120])("prose breaks at words, none is lost, and no line is wider than %d columns", (width) => {
  const text = `lake      ${words(60)}\n\n- ${words(40)}\n          → ${words(40)}`;
  const lines = wrapped(text, width).split("\n");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
  expect(lines.join(" ").split(/ +/).filter(Boolean)).toEqual(text.split(/\s+/).filter(Boolean));
  expect(wrapped(text)).toBe(text);
});

test.each([
  ["status    completed in 3 s, all of it", 24, ["status    completed in 3", "          s, all of it"]],
  ["bad rows  3 new, 4 open", 18, ["bad rows  3 new, 4", "          open"]],
  ["- if the file is wrong", 12, ["- if the", "  file is", "  wrong"]],
  ["          → retry the run", 18, ["          → retry", "            the", "            run"]],
  ["漢字 漢字 漢字", 9, ["漢字 漢字", "漢字"]],
  ["one averyverylongword two", 8, ["one", "averyverylongword", "two"]],
])("words that follow stand below those before: %s", (text, width, lines) => {
  expect(wrapped(text, width).split("\n")).toEqual(lines);
});

test.each([
  "  nightledger runs retry sync-20261121T021500Z-3f9c2a --send-unknown",
  "  (cd demo/lake/_exports/cip/cip-20261121T021500Z-3f9c2a && sha256sum -c SHA256SUMS)",
  "  NIGHTLEDGER_LAKE=demo/lake npx nightledger query 'select count(*) from transactions'",
])("a command to copy stays on one line: %s", (line) => {
  expect(wrapped(line, 40)).toBe(line);
});
