import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { importJob } from "../../../src/jobs/import.js";
import { openBulkWorld } from "../../helpers/bulk/bulk-harness.js";
import { openSmallLake } from "../../helpers/command/small-lake.js";
import { type FaultStore, type StoreFault, withFaults } from "../../helpers/kill/fault-store.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const MEMBERS = 40;
const NO_SPACE = /is tried again: No space left .*; make room/;
const releases: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

/** What is being written when so many kilobytes are full. */
const MOMENTS = [
  ["reports are kept", 300],
  ["files of the pack are written", 450],
  ["the pack is put together", 500],
] as const;

test.each(MOMENTS)(
  "a disk that is full while %s: no part of a pack; with room the same command ends, and counts who was asked again",
  async (_, kilobytes) => {
    const sandbox = await startSandbox({
      population: { kind: "synthetic", users: MEMBERS, linksPerUser: 0, accountsPerLink: 0, rows: 0 },
    });
    releases.push(() => sandbox.close());
    const folder = await openSmallLake(sandbox, kilobytes);
    if (folder === undefined)
      return expect.soft(process.getuid?.(), "may mount a small file system").not.toBe(0);
    releases.push(() => folder.release());
    const exported = () =>
      folder.command(["export", "cip", "--roster", "users.csv", "--approver", "c@bank.example", "--json"]);
    const packs = async () => {
      const names = await readdir(join(folder.lake, "_exports"), { recursive: true }).catch(() => []);
      return names.filter((name) => /^cip\/[^./][^/]*$/.test(name));
    };
    const first = exported();
    await first.says(NO_SPACE);
    const stopped = await first.end("SIGINT");
    expect(stopped.code, stopped.stderr).toBe(1);
    expect(await packs()).toEqual([]);
    await folder.grow();
    const second = await exported().ended;
    expect(second.code, second.stderr).toBe(0);
    const { run_id, rows } = JSON.parse(second.stdout);
    expect([run_id, rows.done]).toEqual([JSON.parse(stopped.stdout).run_id, MEMBERS]);
    expect(await packs()).toEqual([join("cip", run_id)]);
    expect((await folder.command(["verify", join(folder.lake, "_exports", "cip", run_id)]).ended).code).toBe(
      0,
    );
    const asked = await folder.command(["query", "--json", "select max(asked) as most from cip_reports"])
      .ended;
    expect(JSON.parse(asked.stdout)).toEqual([{ most: kilobytes < 400 ? 2 : 1 }]);
  },
);

const FULL = { when: "before", effect: "full" } as const;
const STEPS: readonly StoreFault[] = [
  { ...FULL, on: "putIfAbsent", key: "^_staging/[^/]+/plans/" },
  { ...FULL, on: "putIfAbsent", key: "^_staging/[^/]+/items/.*/intent-" },
  { ...FULL, on: "putIfAbsent", key: "^_staging/[^/]+/items/.*/answer$" },
  { ...FULL, on: "put", key: "^_staging/[^/]+/results/" },
  { ...FULL, on: "putIfAbsent", key: "^_staging/[^/]+/closed/" },
  { ...FULL, on: "upload", key: "^transaction_imports/.*parquet$" },
  { ...FULL, on: "putIfAbsent", key: "^transaction_imports/_delta_log/" },
  { ...FULL, on: "put", key: "^_staging/[^/]+/written/" },
  { ...FULL, on: "putIfAbsent", key: "^runs/_delta_log/" },
];

test("a disk that is full at any step of an import is waited out, and each row goes in once", async () => {
  let store: FaultStore | undefined;
  const world = await openBulkWorld(sharedTemporal(), importJob, {
    direct: true,
    store: (inner) => {
      store = withFaults(inner, STEPS);
      return store;
    },
  });
  releases.push(() => world.close());
  world.sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
  const rows = Array.from({ length: 40 }, (_, at) => ({
    ...{
      link_id: "l",
      account_id: "a",
      amount: `${at}.50`,
      date: "2026-11-02",
      description: `payment ${at}`,
    },
  }));
  expect(await world.run(rows, { chunk: 10 })).toMatchObject({ status: "completed", rows: { done: 40 } });
  expect(new Set(store?.fired)).toEqual(new Set(STEPS));
  const sent = world.sandbox.truth("l").rows.map(({ values }) => Number(values?.amount));
  expect(sent.sort((a, b) => a - b)).toEqual(rows.map((_, at) => at + 0.5));
});
