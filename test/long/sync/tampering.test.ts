import { afterAll, beforeAll, expect, test } from "vitest";
import { openTamperedWorld, type TamperedWorld } from "../../helpers/tampering/tampered-world.js";
import { tampering } from "../../helpers/tampering/tampering.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
let world: TamperedWorld;
beforeAll(async () => {
  world = await openTamperedWorld(temporal);
});
afterAll(async () => {
  await world?.close();
  await temporal.stop();
});

const SEEDS = Array.from({ length: 50 }, (_, seed) => 100 + seed);

test.each(SEEDS.map((seed) => [tampering(seed).title, seed] as const))("%s is found", async (_, seed) => {
  expect(await world.found(seed)).toMatchObject({ code: 1, text: expect.stringMatching(/^broken:\n/) });
});
