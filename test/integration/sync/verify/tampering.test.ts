import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { eachFile } from "../../../helpers/each-test.js";
import { openTamperedWorld } from "../../../helpers/tampering/tampered-world.js";
import { tampering } from "../../../helpers/tampering/tampering.js";
import { verified } from "../../../helpers/tampering/verified.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
const world = eachFile(() => openTamperedWorld(temporal));
afterAll(async () => {
  await temporal.stop();
});

test("two nights are proved, with a root for each, and each root that was kept is found", async () => {
  const { code, text } = await verified(world.lake);
  expect({ code, text }).toEqual({
    code: 0,
    text: expect.stringMatching(new RegExp(`, 5 derived tables, 2 roots\nroot: ${world.roots[1]}$`)),
  });
  const followed = ["; 1 root follows it", "; 0 roots follow it"];
  for (const [at, root] of world.roots.entries()) {
    const kept = await verified(world.lake, { root });
    expect(kept).toMatchObject({ code: 0, text: expect.stringContaining(`${followed[at]}`) });
  }
});

test("a root of a later night, or of another lake, is not found in a whole lake of yesterday", async () => {
  const [first, second] = world.roots;
  expect(await verified(world.yesterday, { root: first ?? "" })).toMatchObject({ code: 0 });
  expect(await verified(world.yesterday, { root: second ?? "" })).toMatchObject({
    code: 1,
    text: expect.stringContaining(`no run has the root ${second}`),
  });
});

test("an amount of transactions whose log was made to fit is named with its file and both values", async () => {
  const lake = await world.copy();
  await lake.set("transactions", "transaction_id = 'd-0001'", "amount", "1.23");
  const file = await lake.fileWith("transactions", "transaction_id = 'd-0001'");
  const { code, text } = await verified(lake.directory);
  expect(code).toBe(1);
  expect(text).toContain(`transactions/${file}: amount of d-0001 is 1.23; the feed says `);
  const quick = await verified(lake.directory, { quick: true });
  expect(quick).toMatchObject({ code: 0, text: expect.stringContaining("\nnot looked at (--quick): ") });
});

test("runs of yesterday: the newest run is under no root, and its root that was kept is not found", async () => {
  const lake = await world.copy();
  await rm(join(lake.directory, "runs"), { recursive: true });
  await cp(join(world.yesterday, "runs"), join(lake.directory, "runs"), { recursive: true });
  const { text } = await verified(lake.directory);
  expect(text).toContain("under no root: 1 run with certificates");
  expect(await verified(lake.directory, { root: world.roots[1] ?? "" })).toMatchObject({ code: 1 });
});

test("a root whose run was taken out of runs breaks the chain", async () => {
  const lake = await world.copy();
  await rm(join(lake.directory, "runs"), { recursive: true });
  expect(await verified(lake.directory, { root: world.roots[0] ?? "" })).toMatchObject({ code: 1 });
});

test.each([0, 1, 2, 3, 4].map((seed) => [tampering(seed).title, seed] as const))(
  "%s is found",
  async (_, seed) => {
    expect(await world.found(seed)).toMatchObject({ code: 1, text: expect.stringMatching(/^broken:\n/) });
  },
);
