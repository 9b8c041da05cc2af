import { describe, expect, test } from "vitest";
import { showRows } from "../../../src/cli/lake/row-table.js";
import type { Terminal } from "../../../src/cli/terminal/terminal.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";

type Form = Parameters<typeof showRows>[2];

function shown(
  rows: readonly Readonly<Record<string, unknown>>[],
  form: Form = { flags: {} },
  terminal: Pick<Terminal, "columns" | "colours"> = {},
) {
  const out: string[] = [];
  const said: string[] = [];
  const streams = { result: (text: string) => out.push(text), say: (line: string) => said.push(line) };
  showRows({ ...SILENT, ...terminal, ...streams }, rows, form);
  return { lines: out.join("\n").split("\n"), said };
}

/** Columns that a text takes, counted by hand: one for each letter, and one more for each wide one. */
const columns = (text: string) => [...text].length + (text.match(/[漢字🦉]/gu)?.length ?? 0);

describe("a table", () => {
  test("has a rule below its header only, and tells null from an empty text", () => {
    const rows = [{ id: 1n, name: "" }, { id: "─", name: null }, { id: 30 }];
    expect(shown(rows).lines).toEqual(["id  name", "──  ────", "1", "─   NULL", "30  NULL"]);
  });

  test("shows control characters escaped, in names too, and no value breaks its row", () => {
    const { lines } = shown([{ "a\tb": "x\ty\r\nz\u001b[2J\u0085\u202e" }, { "a\tb": { list: ["\n"] } }]);
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe("a\\tb");
    expect(lines[2]).toBe(String.raw`x\ty\r\nz\u001b[2J\u0085\u202e`);
    expect(lines[3]).toBe(String.raw`{"list":["\n"]}`);
  });

  test("says that there are no rows", () => {
    expect(shown([]).lines).toEqual(["no rows"]);
    expect(shown([], { flags: {}, names: ["id"] }).lines).toEqual(["no rows"]);
  });

  const long = { id: "link_8Zk2mXQ4vLr0", a: "漢字".repeat(40), b: "x".repeat(200), c: "🦉", d: null };
  test.each([80, 120])("fits %d columns, wide letters too; its first column is whole", (width) => {
    const { lines, said } = shown([long, { ...long, a: "short" }], undefined, { columns: width });
    expect(said).toEqual([]);
    for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(width);
    expect(Math.max(...lines.map(columns))).toBeGreaterThan(width - 4);
    expect(lines[2]).toMatch(/^link_8Zk2mXQ4vLr0 {2}(漢字)+漢?… {1,3}x+… {2}🦉 {2}NULL$/u);
    const at = (line = "") => columns(line.slice(0, line.indexOf("x…")));
    expect(at(lines[2])).toBe(at(lines[3]));
  });

  const wide = Object.fromEntries(
    Array.from({ length: 31 }, (_, at) => [`column_${at}`, "value ".repeat(9)]),
  );
  test.each([
    [80, 4],
    [120, 6],
  ])("leaves out what has no room at %d columns, and says so", (width, kept) => {
    const { lines, said } = shown([wide], undefined, { columns: width });
    expect(said).toEqual([`showing ${kept} of 31 columns; --vertical shows all, --wide cuts nothing`]);
    expect(lines[0]?.split(/ +/)).toHaveLength(kept);
    for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(width);
  });

  test("is cut neither for a pipe nor with --wide, and --vertical has a line for each column", () => {
    const whole = shown([wide]);
    expect(whole.said).toEqual([]);
    expect(whole.lines[2]).toContain("value ".repeat(9));
    expect(shown([wide], { flags: { wide: true } }, { columns: 80 })).toEqual(whole);
    const { lines } = shown(
      [wide, { ...wide, column_3: null }],
      { flags: { vertical: true } },
      { columns: 80 },
    );
    expect(lines).toHaveLength(64);
    expect(lines.slice(32, 37)).toEqual([
      "── row 2",
      ...[0, 1, 2].map((at) => `column_${at}   ${"value ".repeat(9).trimEnd()}`),
      "column_3   NULL",
    ]);
  });

  test("of a command that could not show the rest leaves nothing out: it has a line for each column instead", () => {
    const rows = [{ instant: "2026-11-27", root: "5f0c".repeat(16), objects: 3 }];
    expect(shown(rows, {}, { columns: 100 }).lines).toHaveLength(3);
    const { lines, said } = shown(rows, {}, { columns: 80 });
    expect(said).toEqual([]);
    expect(lines).toEqual(["── row 1", "instant  2026-11-27", `root     ${"5f0c".repeat(16)}`, "objects  3"]);
  });

  test("drops trailing zeros of decimals on a terminal, and of nothing else", () => {
    const rows = ["1.50", "-2.00", "100", "0.000000", "10.010", null].map((n) => ({ n, text: "1.50" }));
    const decimals = new Set(["n"]);
    const seen = (terminal: Pick<Terminal, "columns">) => shown(rows, { decimals }, terminal).lines.slice(2);
    expect(seen({ columns: 80 }).map((line) => line.split(/ +/)[0])).toEqual([
      ...["1.5", "-2", "100", "0", "10.01", "NULL"],
    ]);
    expect(seen({ columns: 80 })[0]).toMatch(/ 1\.50$/);
    expect(seen({}).map((line) => line.split(/ +/)[0])).toEqual(rows.map(({ n }) => n ?? "NULL"));
  });

  test("colours what failed and what is null, only where colours are shown", () => {
    const rows = [{ status: "failed", why: null }];
    expect(shown(rows, undefined, { columns: 80, colours: true }).lines[2]).toBe(
      "\u001b[31mfailed\u001b[39m  \u001b[2mNULL\u001b[22m",
    );
    expect(shown(rows, undefined, { columns: 80, colours: false }).lines[2]).toBe("failed  NULL");
    const long = [{ run: "sync", status: "completed_with_failures", did: "25 rows, 1 skipped, 1 failed" }];
    expect(shown(long, undefined, { columns: 40, colours: true }).lines[2]).toBe(
      "sync  \u001b[31mcompleted_with_…\u001b[39m  \u001b[31m25 rows, 1 skip…\u001b[39m",
    );
  });
});

test("CSV keeps every digit, tells null from an empty text and quotes what needs it", () => {
  let out = "";
  const result = (text: string) => {
    out = text;
  };
  const rows = [
    { a: "1.500", b: null, c: "" },
    { a: 'say "x", y', b: "1\n2", c: { d: [1] } },
  ];
  showRows({ ...SILENT, columns: 80, result }, rows, { flags: { csv: true }, names: ["a", "b", "c"] });
  expect(out).toBe('a,b,c\n1.500,,""\n"say ""x"", y","1\n2","{""d"":[1]}"');
});
