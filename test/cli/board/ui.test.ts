import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { PAGES } from "../../../src/cli/board/pages/index.js";
import { openUi } from "../../../src/cli/board/ui.js";
import { terminalIn } from "../../helpers/command/command-here.js";
import { lakeOfRows } from "../../helpers/query/lake-of-rows.js";

let release: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of release.reverse()) await one();
  release = [];
});

/** Opens a board over a lake with a run, and asks for pages; `said` is what the board has said. */
async function opened() {
  const lake = await lakeOfRows({ runs: [{ run_id: "sync-1", kind: "sync", status: "completed" }] });
  const { terminal } = terminalIn({
    directory: lake.directory,
    env: { NIGHTLEDGER_LAKE: lake.directory },
  });
  const said: string[] = [];
  const place = { host: "127.0.0.1", port: 0 };
  const board = await openUi({ ...terminal, say: (line) => said.push(line) }, lake.directory, place);
  release = [lake.release, board.stop];
  const ask = async (path: string) => {
    const answer = await fetch(`${board.url}${path}`);
    return [answer.status, await answer.text()] as const;
  };
  return { lake, said, ask };
}

test("a lake with a torn log is no missing page: 500, why, what to do, and a line where the board runs", async () => {
  const { lake, said, ask } = await opened();
  expect(await ask("/runs")).toEqual([200, expect.stringContaining("sync-1")]);
  expect((await ask("/runs/sync-2"))[0]).toBe(404);
  expect(await ask("/health")).toEqual([200, expect.stringMatching(/look<.*NIGHTLEDGER_API_URL/s)]);
  // With Temporal: test/integration/board/working.test.ts.
  expect(await ask("/schedules")).toEqual([
    200,
    expect.stringMatching(/nightledger dev.*NIGHTLEDGER_API_KEY/s),
  ]);
  expect(said).toEqual([]);
  await writeFile(join(lake.directory, "runs", "_delta_log", `${"0".repeat(20)}.json`), "{torn");
  expect(await ask("/runs")).toEqual([500, expect.stringContaining("nightledger verify says")]);
  expect(said).toEqual([expect.stringMatching(/^the board could not read \/.*: .*runs.*/)]);
});

// A batch's id that was typed wrong was answered by 500, as a lake that is broken is.
test("whatever address is typed by hand is no failure of the board", async () => {
  const { said, ask } = await opened();
  const ids = ["", "x", "%27%3B--", "a%2Fb", "..%2f", "%ff", "a".repeat(3_000)];
  const pages = PAGES.map(({ path }) => path);
  expect(pages.length).toBeGreaterThan(9);
  const typed = pages.flatMap((path) =>
    path.includes(":")
      ? ids.map((id) => path.replaceAll(/:\w+/g, id))
      : [`${path}?x=1`, `${path}/`, `${path}.json`],
  );
  const filters = ["kind", "status", "schedule", "since", "day", "after", "turn", "text"].flatMap((name) =>
    ["%27%3B--", "2026-02-31"].map(
      (value) => `/${name === "turn" || name === "text" ? "links" : "runs"}?${name}=${value}`,
    ),
  );
  for (const path of [...typed, ...filters, "/index", "//", "/.json"]) {
    const [status, text] = await ask(path);
    // Without Temporal, a page that needs it says so.
    expect([200, 400, 404, 503], `${path}: ${text.slice(0, 300)}`).toContain(status);
  }
  expect(said).toEqual([]);
});
