import { expect, test } from "vitest";
import { type RequestEnd, sendByHalves } from "../../../src/domain/bulk/halving.js";

const TAKEN: RequestEnd = { status: "accepted", reason: null };
const REFUSED: RequestEnd = { status: "refused", reason: "refused http_400" };
const UNKNOWN: RequestEnd = { status: "unknown", reason: "lost_answer" };

/** A service that keeps what it takes and refuses a request with one of the bad rows. */
function service(judge: (rows: readonly number[]) => RequestEnd) {
  const requests: number[][] = [];
  const taken: number[] = [];
  const send = async (rows: readonly number[]) => {
    requests.push([...rows]);
    const answer = judge(rows);
    if (answer.status === "accepted") taken.push(...rows);
    return answer;
  };
  return { send, requests, taken };
}

const rowsOf = (count: number) => Array.from({ length: count }, (_, row) => row);
const without = (rows: readonly number[], bad: readonly number[]) => rows.filter((row) => !bad.includes(row));
const placesOf = (ends: readonly RequestEnd[], status: RequestEnd["status"]) =>
  ends.flatMap((end, place) => (end.status === status ? [place] : []));

async function run(count: number, bad: readonly number[]) {
  const rows = rowsOf(count);
  const { send, requests, taken } = service((some) =>
    some.some((row) => bad.includes(row)) ? REFUSED : TAKEN,
  );
  let looks = 0;
  const ends = await sendByHalves(rows, async (some, look) => {
    const answer = await send(some);
    if (look && answer.status === "refused") looks += 1;
    return answer;
  });
  expect(looks).toBeLessThanOrEqual(Math.min(bad.length, 4));
  expect(placesOf(ends, "refused")).toEqual(bad);
  expect([...taken].sort((a, b) => a - b)).toEqual(without(rows, bad));
  return requests.length;
}

test("every set of rows at fault is found, and every other row is taken once", async () => {
  for (let set = 0; set < 2 ** 7; set += 1) {
    await run(
      7,
      rowsOf(7).filter((row) => set & (1 << row)),
    );
  }
  expect(await run(500, [3, 77, 78, 400])).toBeLessThan(80);
  expect(await run(500, rowsOf(500))).toBeLessThan(1_100);
});

test("a request that is refused for its size loses no row", async () => {
  for (const most of [1, 3, 100, 249, 250, 499]) {
    const { send, taken } = service((rows) => (rows.length > most ? REFUSED : TAKEN));
    const ends = await sendByHalves(rowsOf(500), send);
    expect(placesOf(ends, "accepted")).toHaveLength(500);
    expect(new Set(taken).size).toBe(500);
    expect(taken).toHaveLength(500);
  }
});

test("rows of a lost request are unknown and not sent again; the others continue", async () => {
  for (let lost = 1; lost <= 12; lost += 1) {
    for (const bad of [0, 4, 7]) {
      let request = 0;
      const { send, requests, taken } = service((rows) => {
        request += 1;
        if (request === lost) return UNKNOWN;
        return rows.includes(bad) ? REFUSED : TAKEN;
      });
      const ends = await sendByHalves(rowsOf(8), send);
      const unknown = placesOf(ends, "unknown");
      expect(unknown).toEqual([...(requests[lost - 1] ?? [])].sort((a, b) => a - b));
      expect(placesOf(ends, "accepted")).toEqual(taken.sort((a, b) => a - b));
      expect(placesOf(ends, "refused")).toEqual(unknown.includes(bad) ? [] : [bad]);
      const after = requests.slice(lost).flat();
      expect(unknown.filter((row) => after.includes(row))).toEqual([]);
    }
  }
});

test.each([
  [
    "the rows before the first bad one",
    (bad: readonly number[]) => (row: number) => bad.every((at) => row < at),
  ],
  ["each good row", (bad: readonly number[]) => (row: number) => !bad.includes(row)],
])("a service that refuses a request after it took %s gets no row twice", async (_, takes) => {
  for (const bad of [[6], [0], [0, 7], [3, 4, 9], [1, 4, 8, 9], [0, 1, 2, 8], [2, 3, 4, 5, 9]]) {
    const sent: number[] = [];
    const ends = await sendByHalves(rowsOf(12), async (rows, look) => {
      const isRefused = rows.some((row) => bad.includes(row));
      const taken = rows.filter((row) => !isRefused || takes(bad.filter((at) => rows.includes(at)))(row));
      sent.push(...taken);
      if (!isRefused) return TAKEN;
      const places = taken.map((row) => rows.indexOf(row));
      const ended = new Map(places.map((at) => [at, TAKEN]));
      return { ...REFUSED, ...(look && ended.size > 0 && { ended }) };
    });
    expect(sent.sort((a, b) => a - b)).toEqual(without(rowsOf(12), bad));
    expect(placesOf(ends, "refused")).toEqual(bad);
  }
});
