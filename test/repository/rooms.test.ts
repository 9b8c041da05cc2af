import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { sourcesIn } from "./source-tree.js";

const MOST_FILES = 15;
/** Folders of like things: one file each, found by its name. */
const LISTS = new Set(["operations", "streams", "tables", "commands", "jobs"]);
/** Tests of several sources at once; every other test is a unit test. */
const WHOLE = /^test\/(cluster|integration|kill|long|replay|repository)\//;

const sources = sourcesIn("src", "sandbox");
const folders = new Set(sources.flatMap(foldersAbove));

describe("rooms", () => {
  it("every unit test mirrors a source file or folder: test/lake/sql/duckdb.test.ts, src/lake/sql/duckdb.ts", () => {
    const units = sourcesIn("test").filter((path) => path.endsWith(".test.ts") && !WHOLE.test(path));
    expect(units.filter((path) => !mirrors(path))).toEqual([]);
  });

  it(`no folder of src, sandbox or test but a list of like things has more than ${MOST_FILES} files`, () => {
    const counts = new Map<string, number>();
    for (const path of sourcesIn("src", "sandbox", "test")) {
      const folder = posix.dirname(path);
      if (!LISTS.has(posix.basename(folder))) counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    const crowded = [...counts].filter(([, files]) => files > MOST_FILES);
    expect(crowded.map(([folder, files]) => `${folder}: ${files}`)).toEqual([]);
  });
});

/** Whether a source has the test's path, or its path up to a dash: `materialize-races` tests `materialize`. */
function mirrors(test: string): boolean {
  const path = test.replace(/^test\//, "").replace(/\.test\.ts$/, "");
  const mirrored = path.startsWith("sandbox/") ? path : `src/${path}`;
  const parts = posix.basename(mirrored).split("-");
  return parts.some((_, index) => {
    const source = posix.join(posix.dirname(mirrored), parts.slice(0, index + 1).join("-"));
    return sources.includes(`${source}.ts`) || folders.has(source);
  });
}

function foldersAbove(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === "." ? [] : [folder, ...foldersAbove(folder)];
}
