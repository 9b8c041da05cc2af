import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createTables } from "../../../src/lake/tables/create.js";
import { TABLES } from "../../../src/tables.js";
import { addLink, addRows, created, removed, updated } from "../../helpers/sync/scripted-links.js";
import type { SyncWorld } from "../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";
import { verified } from "../../helpers/tampering/verified.js";

/** Before each of these is copied, another night ends. */
const STEPS = [
  "*/transactions/_delta_log/*",
  "*/link_syncs/_delta_log/*",
  "*/transaction_changes/_delta_log/*",
  "*/bank_links_current/_delta_log/*",
  "*/accounts/_delta_log/*",
  // A data file.
  "*/runs/sync-*",
];

const worlds = syncWorlds();

async function openWorld(): Promise<SyncWorld> {
  const world = await worlds.open();
  await createTables(world.store, TABLES);
  addLink(world, "a", 20);
  await world.sync();
  return world;
}

/** Something new in every table of a sync. */
async function night(world: SyncWorld, n: number): Promise<void> {
  world.sandbox.append("a", [
    created(`new-${n}`, { pending: n % 2 === 0, amount: `${n}.00` }),
    updated(`a-000${n % 10}`, { amount: `${n}.50` }),
    removed(`a-00${10 + n}`),
    created(`bad-${n}`, { amount: "1e400" }),
  ]);
  addLink(world, `l${n}`, 2, `fp_${n}`);
  expect((await world.sync()).result).toMatchObject({ links: { failed: 0 } });
}

/** The script of the page, with another `cp` where one is given. */
async function backUp(lake: string, to: string, bin = ""): Promise<void> {
  const [, script = ""] =
    /^```sh\n(#!\/bin\/sh.*?)^```$/ms.exec(await readFile("docs/run/back-up.md", "utf8")) ?? [];
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  await promisify(execFile)("sh", ["-euc", script, "back-up.sh", lake, to], { env });
}

test("a copy proves itself though nights end between its steps", async () => {
  const world = await openWorld();
  const [lake, states, bin] = ["now", "states", "bin"].map((name) => `${world.lake}-${name}`) as [
    string,
    string,
    string,
  ];
  await cp(world.lake, lake, { recursive: true });
  for (let n = 1; n <= STEPS.length; n += 1) {
    await night(world, n);
    await cp(world.lake, join(states, String(n)), { recursive: true });
  }
  await mkdir(bin);
  const step = join(states, "step");
  await writeFile(step, "0");
  await writeFile(
    join(bin, "cp"),
    `#!/bin/sh -eu
     case "$*" in ${STEPS.join("|")})
       n=$(($(cat ${step}) + 1))
       echo $n >${step}
       /bin/cp -r ${states}/$n/. ${lake}
     esac
     exec /bin/cp "$@"\n`,
  );
  await chmod(join(bin, "cp"), 0o700);

  await backUp(lake, `${lake}-copy`, bin);
  expect(await readFile(step, "utf8")).toBe(`${STEPS.length}\n`);
  expect(await verified(`${lake}-copy`)).toMatchObject({ code: 0, text: expect.stringMatching(/^proved: /) });
});

test("each copy that is made while syncs run proves itself", async () => {
  const world = await openWorld();
  addLink(world, "b", 10);
  for (const link of ["a", "b"]) addRows(world.sandbox, link, 60, 100);
  let running = true;
  const sync = world.sync({ pageSize: 5 }).finally(() => {
    running = false;
  });
  const copies: string[] = [];
  do {
    const to = `${world.lake}-copy-${copies.length}`;
    await backUp(world.lake, to);
    copies.push(to);
  } while (running);
  await sync;
  for (const copy of copies) expect(await verified(copy), copy).toMatchObject({ code: 0 });
});
