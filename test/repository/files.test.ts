import { describe, expect, it } from "vitest";
import { exportsOf, namesTakenBy, read, repositoryFiles, sourcesIn } from "./source-tree.js";

const MOST_LINES = 300;
const DUMPS = /(^|\/)types(\/|$)|(^|[-/])(utils?|helpers?|common|misc|managers?|processors?)(-|\/|$)/;

/** What Temporal or vitest find in a file without an import: workflows, their interceptors, a failure converter, a global set-up. */
const FOUND_BY_NAME = /(-workflow|\/workflows|sealed-only|failure-converter|temporal-setup)\.ts$/;

const lines = (path: string) => read(path).trimEnd().split("\n").length;

describe("files", () => {
  it(`none of src, sandbox, bench or test is longer than ${MOST_LINES} lines`, () => {
    const long = sourcesIn("src", "sandbox", "bench", "test").filter((path) => lines(path) > MOST_LINES);
    expect(long.map((path) => `${path}: ${lines(path)}`)).toEqual([]);
  });

  it("src and sandbox name their files by nouns of the field, not by what they are made of", () => {
    const dumps = sourcesIn("src", "sandbox").filter((path) => DUMPS.test(path.replace(/\.ts$/, "")));
    expect(dumps).toEqual([]);
  });

  it("names are lower case with dashes", () => {
    const odd = sourcesIn("src", "sandbox", "bench", "test").filter((path) => !/^[a-z0-9./-]+$/.test(path));
    expect(odd).toEqual([]);
  });

  it("only src/cli/main.ts sets the exit code, and nothing ends the process", () => {
    const exits = sourcesIn("src", "sandbox").filter((path) => /process\.exit\b/.test(read(path)));
    expect(exits).toEqual([]);
    const codes = sourcesIn("src", "sandbox").filter((path) => /^\s*process\.exitCode\s*=/m.test(read(path)));
    // The second is the text of a program that downloads in a process of its own.
    expect(codes).toEqual(["src/cli/main.ts", "src/temporal/cli/cli-install.ts"]);
  });

  it("only src/lake/sql/duckdb-files.ts has SQL read files: exactly those that are named, their own columns", () => {
    const reads = /\b(read_(parquet|json|ndjson|csv|text|blob|duckdb)\w*|parquet_scan|sniff_csv|glob)\s*\(/;
    const readers = sourcesIn("src", "sandbox", "bench", "tools").filter((path) => reads.test(read(path)));
    expect(readers).toEqual(["src/lake/sql/duckdb-files.ts"]);
  });

  it("nothing is exported that only its own file uses", () => {
    const sources = sourcesIn("src", "sandbox", "bench", "test");
    const configs = repositoryFiles().filter((path) => /^vitest\.[\w.]*config\.ts$/.test(path));
    const taken = new Set([...sources, ...configs].flatMap(namesTakenBy));
    const unused = sources
      .filter((path) => !FOUND_BY_NAME.test(path) && !taken.has(`${path}#*`))
      .flatMap((path) => exportsOf(path).map((name) => `${path}#${name}`))
      .filter((name) => !taken.has(name));
    expect(taken.size).toBeGreaterThan(1_000);
    expect(unused).toEqual([]);
  });

  it("no test is left out, alone or to be written", () => {
    // `skipIf` stays: it shows what this machine lacks.
    const marks = /\b(describe|it|test|suite)(\.\w+)*\.(skip|only|todo|fails)\b|\bx(it|describe)\(/;
    const marked = sourcesIn("test").filter((path) => marks.test(read(path)));
    expect(marked).toEqual([]);
  });

  it("nothing names a path of the machine it was written on, a registry or a source outside the repository", () => {
    const self = "test/repository/files.test.ts";
    const foreign = [
      /\/work\/(main|shared|\.library)/,
      /\/(root|home\/\w+)\/\.\w+/,
      /registry\.npmjs|npmjs\.(org|com)\/|pypi\.org|proxy\.golang|sum\.golang|crates\.io|yarnpkg\.com/,
      /resolved":\s*"https?:/,
    ];
    const hits = repositoryFiles()
      .filter(
        (path) =>
          path !== self &&
          /\.(ts|js|json|ya?ml|md|sh|mod|sum|txt|env|example)$|run$|Dockerfile|rc$/.test(path),
      )
      .flatMap((path) => {
        const text = read(path);
        return foreign.filter((pattern) => pattern.test(text)).map((pattern) => `${path}: ${pattern.source}`);
      });
    expect(hits).toEqual([]);
  });
});
