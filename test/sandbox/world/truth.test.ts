import { afterEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { readUpdate } from "../../helpers/stand-in/reader.js";

let sandbox: Sandbox;
afterEach(() => sandbox.close());

function truthOf(link: string): Map<string, unknown> {
  return new Map([...sandbox.truthRows(link)].map((row) => [row.transaction_id, row.values]));
}

test("a reader who follows the cursors has the truth, also after time has passed", async () => {
  sandbox = await startSandbox({ population: { kind: "synthetic", users: 2, rows: 200 } });
  for (const link of sandbox.world.links.keys()) {
    const rows = new Map<string, object>();
    let cursor = await readUpdate(sandbox, link, rows);
    expect(rows).toEqual(truthOf(link));
    for (let night = 0; night < 4; night++) {
      sandbox.advance({ days: 2, seed: night, links: [link] });
      cursor = await readUpdate(sandbox, link, rows, { cursor, size: 7 });
      expect(rows).toEqual(truthOf(link));
    }
  }
});

test("a reader of a generated history has the truth after a night of changes", async () => {
  sandbox = await startSandbox({ population: { kind: "volume", users: 2, rows: 1_234 } });
  const [link = ""] = sandbox.world.links.keys();
  const rows = new Map<string, object>();
  const cursor = await readUpdate(sandbox, link, rows, { size: 500 });
  expect(rows.size).toBe(1_234);
  const night = sandbox.nightlyChanges({ changes: 400 });
  expect(night.created + night.updated + night.removed).toBe(400);
  await readUpdate(sandbox, link, rows, { cursor });
  expect(rows).toEqual(truthOf(link));
  expect(rows.size).toBe(sandbox.world.link(link).log.liveCount);
});
