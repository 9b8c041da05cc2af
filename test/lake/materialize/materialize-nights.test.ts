import { join } from "node:path";
import { expect, test } from "vitest";
import { type AddFile, removeOf } from "../../../src/lake/delta/delta-actions.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { parquetFiles } from "../../../src/lake/sql/duckdb-files.js";
import { addOf, writeQuery } from "../../../src/lake/tables/parquet-file.js";
import { transactions } from "../../../src/lake/tables/transactions.js";
import { eachTest } from "../../helpers/each-test.js";
import { type Change, FeedLake } from "../../helpers/lake/feed-lake.js";

const at = eachTest(() => FeedLake.open());

/** Whole numbers that look random and are the same each time. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state >>> 8;
  }
}

/** A feed with the rows that must be left of it. */
class Model {
  readonly rows = new Map<string, string>();
  readonly #random = numbers(7);
  readonly #sequences = new Map<string, number>();

  below(most: number): number {
    return this.#random.next().value % most;
  }

  day(ago: number): string {
    return new Date(Date.UTC(2026, 5, 30) - ago * 86_400_000).toISOString().slice(0, 10);
  }

  change(type: Required<Change>["type"], link: string, id: string, date: string): Change {
    const sequence = (this.#sequences.get(link) ?? 0) + 1;
    this.#sequences.set(link, sequence);
    const amount = String(1 + this.below(999));
    if (type === "removed") this.rows.delete(`${link}/${id}`);
    else this.rows.set(`${link}/${id}`, `${amount} ${date}`);
    return { link, id, sequence, type, amount, date };
  }

  first(links: number, rows: number, days: number): Change[] {
    return Array.from({ length: links * rows }, (_, n) =>
      this.change("created", `l${n % links}`, `t${n}`, this.day(this.below(days))),
    );
  }

  night(n: number, changes: number): Change[] {
    return Array.from({ length: changes }, (_, k) => {
      const [key, value] = [...this.rows][this.below(this.rows.size)] as [string, string];
      const [link = "", id = ""] = key.split("/");
      const kind = this.below(10);
      const [, date = ""] = value.split(" ");
      if (kind < 2) return this.change("removed", link, id, date);
      if (kind < 5) return this.change("updated", link, id, date);
      return this.change("created", link, `n${n}-${k}`, this.day(this.below(kind < 9 ? 30 : 300) - n));
    });
  }

  expected(): string[] {
    return [...this.rows].map(([key, value]) => `${key} ${value}`).sort();
  }
}

/** `npm run test:long` has more. */
const NIGHTS = process.env.NIGHTLEDGER_PROPERTY_RUNS === undefined ? 8 : 30;

test("after a first load and many nights the files are few, and the rows those of the feed", async () => {
  const model = new Model();
  await at.feed(...model.first(20, 1_000, 300));
  await materialize(at.lake);
  const loaded = (await at.live()).length;
  expect(loaded).toBeLessThanOrEqual(11);
  for (let night = 0; night < NIGHTS; night += 1) {
    await at.feed(...model.night(night, 100));
    await materialize(at.lake);
    expect((await at.live()).length).toBeLessThanOrEqual(loaded + 2);
  }
  expect((await at.rows()).sort()).toEqual(model.expected());
  expect(await at.unreferenced()).toEqual([]);
});

/** Puts each file's rows into many small ones, as the first release did. */
async function splitFiles(into: number): Promise<void> {
  for (const file of await at.live()) {
    const path = join(at.directory, "transactions", file.path);
    const adds: AddFile[] = [];
    for (let n = 0; n < into; n += 1) {
      const query = `from ${parquetFiles([path])} where hash(transaction_id) % ${into} = ${n}`;
      const parts = await writeQuery(at.lake, transactions, "old", query);
      adds.push(...parts.map((part) => addOf(part, false)));
    }
    await at.lake
      .table("transactions")
      .commit(() => [
        { remove: { ...removeOf(file, 1), dataChange: false } },
        ...adds.map((add) => ({ add })),
      ]);
  }
}

test("many small files become few with the next night", async () => {
  const model = new Model();
  await at.feed(...model.first(5, 800, 60));
  await materialize(at.lake);
  const few = (await at.live()).length;
  await splitFiles(40);
  expect((await at.live()).length).toBeGreaterThan(2 * 32);
  await at.feed(model.change("created", "l0", "one", "2026-06-30"));
  await materialize(at.lake);
  expect((await at.live()).length).toBeLessThanOrEqual(few + 1);
  expect((await at.rows()).sort()).toEqual(model.expected());
});
