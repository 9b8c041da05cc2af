import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { HistoryLake, type Thing } from "../../helpers/history/history-lake.js";

/** `npm run test:long` makes more. */
const RUNS = Number(process.env.NIGHTLEDGER_PROPERTY_RUNS ?? 4);
const MINUTE = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

const list = fc.record({
  owner: fc.constantFrom("u", "v'", "é"),
  things: fc.dictionary(
    fc.constantFrom("a", "b", "c"),
    fc.option(fc.constantFrom("on", "off"), { nil: null }),
  ),
  /** A list with a bad row is not whole. */
  isWhole: fc.boolean(),
});
/** What one run commits at once. */
const part = fc.record({
  lists: fc.uniqueArray(list, { selector: ({ owner }) => owner, maxLength: 3 }),
  /** How long before its commit it was read. */
  age: fc.constantFrom(0, MINUTE, 90 * MINUTE),
  isRepeated: fc.boolean(),
  isOther: fc.boolean(),
});
/** Parts of one or two runs that work at the same time, after the clock has moved forward or back. */
const night = fc.record({
  parts: fc.array(part, { minLength: 1, maxLength: 4 }),
  hours: fc.constantFrom(24, 24, 24, 0, -30, 24 * 365),
  bringUp: fc.constantFrom("no", "one", "both"),
});

interface Row {
  readonly state: string | null;
  readonly at: number;
  readonly gone: boolean;
}

/** The histories of all keys, in microseconds, by the words of docs/use/tables.md. */
class Model {
  readonly rows = new Map<string, Row[]>();

  observe(
    lists: readonly { owner: string; things: Record<string, string | null>; isWhole: boolean }[],
    at: number,
  ) {
    for (const { owner, things, isWhole } of lists) {
      for (const [id, state] of Object.entries(things))
        this.#see(`${owner}/${id}`, { state, at, gone: false });
      const listed = new Set(Object.keys(things).map((id) => `${owner}/${id}`));
      if (!isWhole) continue;
      for (const [key, rows] of this.rows) {
        const last = rows.at(-1);
        if (key.startsWith(`${owner}/`) && !listed.has(key) && last !== undefined && !last.gone) {
          this.#see(key, { ...last, at, gone: true });
        }
      }
    }
  }

  #see(key: string, row: Row): void {
    const rows = this.rows.get(key) ?? [];
    const last = rows.at(-1);
    if (last !== undefined && last.state === row.state && last.gone === row.gone) return;
    const isOlder = last !== undefined && row.at <= last.at;
    if (isOlder && last.at <= Date.now() * 1000) return;
    this.rows.set(key, [...rows, isOlder ? { ...row, at: last.at + 1 } : row]);
  }

  history(): string[] {
    return [...this.rows]
      .sort(byKey)
      .flatMap(([key, rows]) =>
        rows.map(({ state, gone }) => `${key} ${state ?? "-"}${gone ? " gone" : ""}`),
      );
  }

  current(): string[] {
    return [...this.rows].sort(byKey).flatMap(([key, rows]) => {
      const last = rows.at(-1);
      return last === undefined || last.gone ? [] : [`${key} ${last.state ?? "-"}`];
    });
  }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

test("any nights: the history is what changed, in its order, and what is current is its last state", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 1, maxLength: 6 }), async (nights) => {
      const at = await HistoryLake.open();
      const model = new Model();
      let now = Date.UTC(2026, 0, 1, 2);
      vi.useFakeTimers({ now, toFake: ["Date"] });
      try {
        for (const [n, { parts, hours, bringUp }] of nights.entries()) {
          now += hours * 60 * MINUTE;
          for (const [index, { lists, age, isRepeated, isOther }] of parts.entries()) {
            now += MINUTE;
            vi.setSystemTime(now);
            const readAt = new Date(now - age);
            const things = lists.flatMap(({ owner, things }) =>
              Object.entries(things).map(([id, state]): Thing => ({ owner, id, state })),
            );
            const whole = lists.flatMap(({ owner, isWhole }) => (isWhole ? [owner] : []));
            const observed = { run: `r${n}`, part: `g${index}`, at: readAt, things, whole };
            const lake = isOther ? at.other : at.lake;
            await at.observe(observed, lake);
            model.observe(lists, readAt.getTime() * 1000);
            if (isRepeated) await at.observe(observed);
            if (bringUp === "both" && index === 0) await at.bringUp(at.other);
          }
          if (bringUp === "no") continue;
          await at.bringUp();
          expect(await at.small()).toEqual(model.current());
        }
        expect(await at.history()).toEqual(model.history());
        expect(await at.current()).toEqual(model.current());
      } finally {
        vi.useRealTimers();
        await at.release();
      }
    }),
    { numRuns: RUNS },
  );
});
