import { afterAll, expect, test } from "vitest";
import { eachFile } from "../../helpers/each-test.js";
import { openTamperedWorld } from "../../helpers/tampering/tampered-world.js";
import { tampering } from "../../helpers/tampering/tampering.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
const world = eachFile(() => openTamperedWorld(temporal));
afterAll(async () => {
  await temporal.stop();
});

const SEEDS = Array.from({ length: 50 }, (_, seed) => 100 + seed);

test.each(SEEDS.map((seed) => [tampering(seed).title, seed] as const))("%s is found", async (_, seed) => {
  expect(await world.found(seed)).toMatchObject({ code: 1, text: expect.stringMatching(/^broken:\n/) });
});
