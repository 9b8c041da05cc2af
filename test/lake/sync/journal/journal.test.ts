import { stat } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Place } from "../../../../src/domain/sync/place.js";
import {
  addCleaned,
  Journal,
  journalKey,
  journalPrefix,
  type PageName,
  readBadRows,
  readRecord,
  readValue,
} from "../../../../src/lake/sync/journal/journal.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";
import { flipByte, journalsIn } from "../../../helpers/sync/staged-links.js";

const lake = eachTest(openTestLake);
const journal = eachTest(() => new Journal(lake.store, "run", "3"));

const NAME: PageName = {
  stream: "transactions",
  owner: "../../etc/passwd",
  attempt: 2,
  page: 7,
  after: "0a",
};
const body = (place: Place) => readRecord(lake.store, "run", place).then((record) => record?.body);

test("a journal has run, folder and a name of its own; ids never become path parts", async () => {
  const place = await journal.add({ kind: "page", page: NAME }, Buffer.from("{}"));
  const other = new Journal(lake.store, "run", "3");
  const beside = await other.add({ kind: "page", page: NAME }, Buffer.from("{}"));
  expect(place.journal).toMatch(/^3\/[0-9a-f]{8}$/);
  expect(beside.journal).not.toBe(place.journal);
  const keys = [place, beside].map(({ journal }) => journalKey("run", journal));
  expect((await lake.store.list("")).map(({ key }) => key).sort()).toEqual(keys.sort());
  expect(keys[0]).toMatch(/^_staging\/run\/journals\/3\/[0-9a-f]{8}$/);
  expect(journalPrefix("run", "3")).toBe("_staging/run/journals/3/");
  await other.close();
});

test("a journal without a record is not a file, and can be persisted and closed", async () => {
  await journal.persist();
  await journal.close();
  expect(await lake.store.list("_staging/")).toEqual([]);
});

test.for([
  ["empty", Buffer.alloc(0)],
  ["of line feeds", Buffer.from("\n\n\n")],
  ["JSON with line feeds", Buffer.from('{\n  "a": "b\\n"\n}\n')],
  ["that looks like a record", Buffer.from('{"kind":"page","bytes":1,"sha256":"x"}\na\n')],
  ["of bytes that are not text", Buffer.from([0x7b, 0xff, 0x00, 0x0a, 0x7d])],
  ["of 5 MB", Buffer.alloc(5_000_000, "0123456789\n")],
] as const)("a body %s comes back byte for byte, with its time and name", async ([_, bytes]) => {
  const first = await journal.addValue("link", "before");
  const before = Date.now();
  const place = await journal.add({ kind: "page", page: NAME }, bytes);
  const last = await journal.addValue("link", "after");
  const record = await readRecord(lake.store, "run", place);
  expect(record?.body.equals(bytes)).toBe(true);
  expect(record?.header).toMatchObject({ kind: "page", page: NAME, bytes: bytes.length });
  expect(Date.parse(record?.header.at ?? "")).toBeGreaterThanOrEqual(before);
  expect([first.at, place.at, last.at]).toEqual([0, first.bytes, first.bytes + place.bytes]);
  expect(await readValue(lake.store, "run", first)).toBe("before");
  expect(await readValue(lake.store, "run", last)).toBe("after");
  const { size } = await stat(join(lake.directory, journalKey("run", place.journal)));
  expect(size).toBe(last.at + last.bytes);
});

test("records of one journal that are added at once have a place each", async () => {
  const values = Array.from({ length: 200 }, (_, n) => "x".repeat(n * 7));
  const places = await Promise.all(values.map((value) => journal.addValue("link", value)));
  expect(await Promise.all(places.map((place) => readValue(lake.store, "run", place)))).toEqual(values);
  expect(await journalsIn(lake.store, "3")).toHaveLength(1);
});

test("whatever the bodies are, each is found at its place and at no other", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 60 }), { minLength: 2, maxLength: 6 }),
      async (bodies) => {
        const own = new Journal(lake.store, "run", "4");
        const places: Place[] = [];
        for (const bytes of bodies) places.push(await own.add({ kind: "clean" }, bytes));
        await own.close();
        for (const [n, place] of places.entries()) {
          expect(await body(place)).toEqual(Buffer.from(bodies[n] ?? []));
          for (const wrong of [place.at - 1, place.at + 1]) {
            if (wrong >= 0) expect(await body({ ...place, at: wrong })).toBeUndefined();
          }
          expect(await body({ ...place, bytes: place.bytes - 1 })).toBeUndefined();
          expect(await body({ ...place, sha256: "0".repeat(16) })).toBeUndefined();
        }
      },
    ),
    { numRuns: 30 },
  );
});

test("a flipped byte is noticed wherever it is, and costs that record alone", async () => {
  const places = [
    await journal.addValue("link", "first"),
    await journal.add({ kind: "page", page: NAME }, Buffer.from("a page")),
    await journal.addValue("link", "last"),
  ] as const;
  const [first, second, last] = places;
  const key = journalKey("run", second.journal);
  const whole = (await lake.store.get(key)) ?? Buffer.alloc(0);
  const text = whole.toString("latin1");
  // What else a header says of its record is not covered: no reader takes a page that bears another name.
  const covered = [...Array(second.bytes).keys()].slice(text.indexOf('"bytes"', second.at) - second.at);
  for (const at of covered) {
    const bytes = Buffer.from(whole);
    bytes.writeUInt8(bytes.readUInt8(second.at + at) ^ 1, second.at + at);
    await lake.store.put(key, bytes);
    expect([at, await body(second)]).toEqual([at, undefined]);
    expect(await readValue(lake.store, "run", first)).toBe("first");
    expect(await readValue(lake.store, "run", last)).toBe("last");
  }
  expect(covered.length).toBeGreaterThan(80);
});

test("a value that is torn or gone says so, and what to do", async () => {
  const place = await journal.addValue("report", { waiting: [1] });
  expect(await readValue(lake.store, "run", place)).toEqual({ waiting: [1] });
  await flipByte(lake.store, place);
  await expect(readValue(lake.store, "run", place)).rejects.toThrow(/torn.* start the job again/);
  await lake.store.deletePrefix(journalPrefix("run", "3"));
  await expect(readValue(lake.store, "run", place)).rejects.toThrow(/start the job again/);
});

test("a page has its clean page and bad rows where it had some", async () => {
  const bad = [
    { list: "created", index: 3, reason: "blank", payload: '{"a" : 1e5}' },
    { list: "removed", index: 0, reason: "a line\nfeed", payload: '"\u2028\\n"' },
  ];
  const cleaned = await addCleaned(journal, { clean: "clean page", bad });
  const place = await journal.add({ kind: "page", page: NAME, cleaned }, Buffer.from("whole"));
  const record = await readRecord(lake.store, "run", place);
  expect(record?.header.cleaned).toEqual(cleaned);
  expect(await body(cleaned.clean)).toEqual(Buffer.from("clean page"));
  expect(await readBadRows(lake.store, "run", cleaned.bad)).toEqual(bad);
  const none = await addCleaned(journal, { clean: "clean page", bad: [] });
  expect(await readBadRows(lake.store, "run", none.bad)).toEqual([]);
  await flipByte(lake.store, cleaned.bad);
  expect(await readBadRows(lake.store, "run", cleaned.bad)).toBeUndefined();
});
