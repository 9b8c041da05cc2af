import fc from "fast-check";
import { expect, test } from "vitest";
import { withChanges } from "../../../src/lake/delta/layered-map.js";

const key = fc.integer({ min: 0, max: 200 }).map(String);
const changes = fc.array(fc.tuple(key, fc.option(fc.string())), { maxLength: 20 });

const sorted = (map: ReadonlyMap<string, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

test("a map with changes is what a plain map would be, and those it was made from stay as they were", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, fc.string()), { size: "max", maxLength: 300 }),
      fc.array(fc.tuple(changes, fc.boolean())),
      (start, steps) => {
        let map: ReadonlyMap<string, string> = new Map(start);
        const model = new Map(start);
        const earlier: [ReadonlyMap<string, string>, ReadonlyMap<string, string>][] = [];
        for (const [step, isListed] of steps) {
          earlier.push([map, new Map(model)]);
          map = withChanges(map, new Map(step));
          // The last change of a key counts, as in the map of the step.
          for (const [name, value] of new Map(step)) {
            if (value === null) model.delete(name);
            else model.set(name, value);
          }
          expect(map.size).toBe(model.size);
          for (let at = 0; at <= 200; at += 1) {
            expect(map.get(`${at}`)).toBe(model.get(`${at}`));
            expect(map.has(`${at}`)).toBe(model.has(`${at}`));
          }
          if (isListed) expect(sorted(map)).toEqual(sorted(model));
        }
        for (const [given, then] of [...earlier, [map, model] as const]) {
          expect(sorted(given)).toEqual(sorted(then));
          expect([...given.keys()].length).toBe(given.size);
          const visited: [string, string][] = [];
          given.forEach((value, name) => {
            visited.push([name, value]);
          });
          expect(visited).toEqual([...given.entries()]);
          expect([...given.values()]).toEqual(visited.map(([, value]) => value));
        }
      },
    ),
  );
});

test("an iteration over a map sees no change that is made meanwhile", () => {
  const before = withChanges(new Map([["a", "1"]]), new Map([["b", "2"]]));
  const entries = before[Symbol.iterator]();
  expect(entries.next().value).toEqual(["a", "1"]);
  withChanges(
    before,
    new Map<string, string | null>([
      ["b", null],
      ["c", "3"],
    ]),
  );
  expect([...entries]).toEqual([["b", "2"]]);
});

test("a map without changes is the same map", () => {
  const map = withChanges(new Map([["a", "1"]]), new Map([["b", "2"]]));
  expect(withChanges(map, new Map())).toBe(map);
  expect(withChanges(map, new Map([["absent", null]]))).toBe(map);
});
