import { expect, test } from "vitest";
import type { Place } from "../../../../src/domain/sync/place.js";
import {
  headerOf,
  Journal,
  journalKey,
  lostAttempts,
  nameKey,
  readRecord,
  unframed,
} from "../../../../src/lake/sync/journal/journal.js";
import { startNode } from "../../../helpers/command/command-process.js";
import { compiledProgram } from "../../../helpers/command/compiled-program.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";
import { runChild } from "../../../helpers/lake/delta-process.js";
import { journalsIn } from "../../../helpers/sync/staged-links.js";

const CHILD = "test/helpers/lake/journal-child.ts";
const lake = eachTest(openTestLake);

const nameOf = (page: number) => ({ stream: "transactions", owner: "a", attempt: 0, page, after: "" });

/** All whole records of a journal, and the bytes behind them. */
function recordsIn(bytes: Buffer) {
  const pages: (number | undefined)[] = [];
  let at = 0;
  for (let record = unframed(bytes); record !== undefined; record = unframed(bytes.subarray(at))) {
    pages.push(record.header.page?.page);
    at += record.length;
  }
  return { pages, rest: bytes.subarray(at) };
}

/** Whether every place is the next attempt's to find, as it was told. */
async function expectFound(places: readonly Place[]): Promise<void> {
  const lost = await lostAttempts(lake.store, "run", ["0"]);
  for (const [page, place] of places.entries()) {
    expect(lost.get(nameKey(nameOf(page)))).toEqual(place);
    expect((await readRecord(lake.store, "run", place))?.body.every((byte) => byte === page % 256)).toBe(
      true,
    );
  }
}

test("a disk that is full in the middle of a record leaves the journal as it was before it", async () => {
  const stdout = await runChild(CHILD, [lake.directory, "100000"], { limitKb: 1_000 });
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const places: Place[] = lines.slice(0, -2);
  expect(places).toHaveLength(10);
  expect(lines.slice(-2)).toEqual([
    { name: "TransientError", message: expect.stringMatching(/^No space left to write .* \(EFBIG\)/) },
    { refused: "TransientError" },
  ]);
  const [key = ""] = await journalsIn(lake.store, "0");
  const { pages, rest } = recordsIn((await lake.store.get(key)) ?? Buffer.alloc(0));
  expect([pages, rest.length]).toEqual([[...places.keys()], 0]);
  await expectFound(places);
  const next = new Journal(lake.store, "run", "0");
  await next.add({ kind: "page", page: nameOf(10) }, Buffer.alloc(3, 10));
  await next.close();
  await expectFound(places);
});

test.for([1, 7, 40, 150])(
  "a process killed after it appended %i records leaves whole ones, and at most one that is torn",
  async (count) => {
    const script = compiledProgram(CHILD);
    const child = startNode(script, [lake.directory, "60000"], { cwd: "/" });
    await child.says(new RegExp(`(?:\\{.*\\}\\n){${count}}`));
    const { stdout, signal } = await child.end("SIGKILL");
    expect(signal).toBe("SIGKILL");
    const places = stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Place);
    expect(places.length).toBeGreaterThanOrEqual(count);
    const [first] = places;
    const bytes = (await lake.store.get(journalKey("run", first?.journal ?? ""))) ?? Buffer.alloc(0);
    const { pages, rest } = recordsIn(bytes);
    expect(pages).toEqual([...pages.keys()]);
    // The last one may be whole, and the process killed before it could say so.
    expect([places.length, places.length + 1]).toContain(pages.length);
    const torn = headerOf(rest);
    if (torn !== undefined) expect(rest.length).toBeLessThan(torn.from + torn.header.bytes + 1);
    await expectFound(places);
  },
);
