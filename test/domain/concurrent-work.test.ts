import { describe, expect, it } from "vitest";
import { mapConcurrent } from "../../src/domain/concurrent-work.js";

/** Work that each test ends by hand, in whatever order. */
function workshop() {
  const begun: number[] = [];
  const ends = new Map<number, (error?: Error) => void>();
  const work = (item: number) =>
    new Promise<string>((resolve, reject) => {
      begun.push(item);
      ends.set(item, (error) => (error === undefined ? resolve(`done ${item}`) : reject(error)));
    });
  return { begun, work, end: (item: number, error?: Error) => ends.get(item)?.(error) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("mapConcurrent", () => {
  it("works on so many at once, and gives the results in the items' order", async () => {
    const { begun, work, end } = workshop();
    const all = mapConcurrent(2, [1, 2, 3], work);
    expect(begun).toEqual([1, 2]);
    end(2);
    await turn();
    expect(begun).toEqual([1, 2, 3]);
    end(3);
    end(1);
    expect(await all).toEqual(["done 1", "done 2", "done 3"]);
  });

  it("begins nothing after a failure, waits for what is under way, and throws the first", async () => {
    const { begun, work, end } = workshop();
    let isOver = false;
    const all = mapConcurrent(2, [1, 2, 3], work).finally(() => {
      isOver = true;
    });
    end(1, new Error("first"));
    await turn();
    expect([begun, isOver]).toEqual([[1, 2], false]);
    end(2, new Error("second"));
    await expect(all).rejects.toThrow("first");
  });
});
