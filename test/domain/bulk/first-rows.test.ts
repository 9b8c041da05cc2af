import { expect, test } from "vitest";
import { sendFirstRows } from "../../../src/domain/bulk/first-rows.js";
import type { RequestEnd } from "../../../src/domain/bulk/halving.js";

const TAKEN: RequestEnd = { status: "accepted", reason: null };
const REFUSED: RequestEnd = { status: "refused", reason: "refused http_400" };
const UNRESOLVED = new Error("unresolved");
const ROWS = Array.from({ length: 20 }, (_, row) => row);

/** The parts that are sent to a service which loses the first few, or refuses a row. */
async function partsOf({ lost = 0, bad = -1, forEver = false }) {
  const parts: number[] = [];
  const seen = new Set<number>();
  const send = async (part: readonly number[]) => {
    const [first = -1] = part;
    parts.push(part.length);
    if (first < lost && (forEver || !seen.has(first))) {
      seen.add(first);
      throw UNRESOLVED;
    }
    return part.map((row) => (row === bad ? REFUSED : TAKEN));
  };
  const ends = await sendFirstRows(ROWS, send, (error) => error === UNRESOLVED);
  return { parts, refused: ends.flatMap(({ status }, row) => (status === "refused" ? [row] : [])), ends };
}

test("parts grow, and are the same whatever is refused or lost; those that were lost come again last", async () => {
  const parts = [1, 1, 2, 4, 8, 4];
  expect(await partsOf({})).toMatchObject({ parts, refused: [] });
  expect(await partsOf({ bad: 0 })).toMatchObject({ parts, refused: [0] });
  const { ends, ...lost } = await partsOf({ lost: 4, bad: 2 });
  expect(lost).toEqual({ parts: [...parts, 1, 1, 2], refused: [2] });
  expect(ends).toHaveLength(20);
});

test("a part whose fate is unknown is looked for again after the others", async () => {
  let calls = 0;
  const send = async (part: readonly number[]): Promise<RequestEnd[]> => {
    calls += 1;
    return part.map(() => (calls === 1 ? { status: "unknown", reason: "lost_answer" } : TAKEN));
  };
  expect(await sendFirstRows([1, 2, 3], send, () => false)).toEqual([TAKEN, TAKEN, TAKEN]);
});

test("what stays unresolved is thrown after all others were sent", async () => {
  await expect(partsOf({ lost: 1, forEver: true })).rejects.toBe(UNRESOLVED);
});
