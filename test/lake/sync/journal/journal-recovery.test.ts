import { expect, test } from "vitest";
import type { Place } from "../../../../src/domain/sync/place.js";
import {
  Journal,
  journalKey,
  LONGEST_HEADER,
  type LostAttempts,
  lostAttempts,
  namedPages,
  nameKey,
  type PageName,
  readRecord,
} from "../../../../src/lake/sync/journal/journal.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";
import { flipByte } from "../../../helpers/sync/staged-links.js";

const lake = eachTest(openTestLake);

const nameOf = (page: number, change: Partial<PageName> = {}): PageName => {
  return { stream: "transactions", owner: "a", attempt: 0, page, after: "0a", ...change };
};
const lostIn = (...folders: string[]) => lostAttempts(lake.store, "run", folders);

/** Appends pages; bodies are of every kind that a cut can meet. */
async function append(journal: Journal, pages: number, from = 0): Promise<Place[]> {
  const places: Place[] = [];
  for (let page = from; page < from + pages; page += 1) {
    const body = Buffer.from(["", "a\nb\n", "{}", "\n"][page % 4] ?? "");
    places.push(await journal.add({ kind: "page", page: nameOf(page) }, body));
  }
  return places;
}

/** Which of so many pages are found, each at its own place. */
function found(lost: LostAttempts, places: readonly Place[]): number[] {
  return places.flatMap((place, page) => {
    const there = lost.get(nameKey(nameOf(page)));
    if (there === undefined) return [];
    expect(there).toEqual(place);
    return [page];
  });
}

test("a run without journals has lost nothing", async () => {
  expect((await lostIn("0", "0-continued")).get(nameKey(nameOf(0)))).toBeUndefined();
});

test("pages of all lost attempts are found by their whole name, in the given folders alone", async () => {
  const one = await append(new Journal(lake.store, "run", "0"), 2);
  const [other] = await append(new Journal(lake.store, "run", "0-continued"), 1, 2);
  await append(new Journal(lake.store, "run", "1"), 1, 3);
  await append(new Journal(lake.store, "another", "0"), 1, 4);
  const lost = await lostIn("0", "0-continued");
  expect(found(lost, [...one, other as Place])).toEqual([0, 1, 2]);
  for (const page of [3, 4]) expect(lost.get(nameKey(nameOf(page)))).toBeUndefined();
  for (const change of [{ stream: "accounts" }, { owner: "b" }, { attempt: 1 }, { after: "0b" }]) {
    expect(lost.get(nameKey(nameOf(0, change)))).toBeUndefined();
  }
});

test("of a journal that is cut anywhere, exactly the whole records before the cut are found", async () => {
  const journal = new Journal(lake.store, "run", "0");
  const places = await append(journal, 5);
  await journal.close();
  const key = journalKey("run", places[0]?.journal ?? "");
  const whole = (await lake.store.get(key)) ?? Buffer.alloc(0);
  const ends = places.map(({ at, bytes }) => at + bytes);
  expect(ends.at(-1)).toBe(whole.length);
  for (let cut = 0; cut <= whole.length; cut += 1) {
    await lake.store.put(key, whole.subarray(0, cut));
    const wanted = ends.filter((end) => end <= cut).length;
    expect([cut, found(await lostIn("0"), places)]).toEqual([cut, [...Array(wanted).keys()]]);
    for (const [page, place] of places.entries()) {
      expect((await readRecord(lake.store, "run", place)) !== undefined).toBe(page < wanted);
    }
  }
});

test("a journal that continues after a torn record is not read beyond it, except at the places that are named", async () => {
  const journal = new Journal(lake.store, "run", "0");
  const places = await append(journal, 4);
  await flipByte(lake.store, places[2] as Place);
  expect(found(await lostIn("0"), places)).toEqual([0, 1]);
  expect((await readRecord(lake.store, "run", places[3] as Place))?.header.page).toEqual(nameOf(3));
  const names: PageName[] = [];
  for await (const name of namedPages(lake.store, "run")) names.push(name);
  expect(names.slice(0, 2)).toEqual([nameOf(0), nameOf(1)]);
});

test("what an attempt names stays as it is when an earlier attempt wakes up and appends more", async () => {
  const stalled = new Journal(lake.store, "run", "0");
  const early = await append(stalled, 2);
  const lost = await lostIn("0");
  const next = new Journal(lake.store, "run", "0");
  const late = await append(next, 2, 2);
  const read = async () =>
    Promise.all([...early, ...late].map((place) => readRecord(lake.store, "run", place)));
  const before = await read();
  expect(before.map((record) => record?.header.page?.page)).toEqual([0, 1, 2, 3]);
  const woken = await append(stalled, 3, 2);
  await append(next, 1, 5);
  expect(await read()).toEqual(before);
  expect(found(lost, early)).toEqual([0, 1]);
  expect(lost.get(nameKey(nameOf(2)))).toBeUndefined();
  const journals = new Set([...early, ...woken, ...late].map(({ journal }) => journal));
  expect(journals.size).toBe(2);
});

test("a page whose name is too long for a header is asked for again, and so is every record after it", async () => {
  const journal = new Journal(lake.store, "run", "0");
  const [first] = await append(journal, 1);
  await journal.add(
    { kind: "page", page: nameOf(1, { owner: "x".repeat(LONGEST_HEADER) }) },
    Buffer.from("{}"),
  );
  expect(found(await lostIn("0"), [first as Place])).toEqual([0]);
});

test("names of staged pages are told by their headers, whatever the bodies weigh", async () => {
  const journal = new Journal(lake.store, "run", "0");
  await journal.addValue("link", {});
  for (const page of [0, 1]) {
    await journal.add({ kind: "page", page: nameOf(page) }, Buffer.alloc(20_000, "\n"));
    await journal.add({ kind: "clean" }, Buffer.alloc(LONGEST_HEADER * 2, "x"));
  }
  await journal.addValue("report", {});
  await append(new Journal(lake.store, "run", "5-continued"), 1, 2);
  await append(new Journal(lake.store, "other", "0"), 1, 3);
  const names: PageName[] = [];
  for await (const name of namedPages(lake.store, "run")) names.push(name);
  expect(names).toEqual([nameOf(0), nameOf(1), nameOf(2)]);
});
