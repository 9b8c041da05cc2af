import { expect, test } from "vitest";
import { behavioursOf, startSandbox } from "../../../sandbox/index.js";
import { behaviourOf } from "../../../src/cli/local/service-behaviour.js";
import { openServiceClient } from "../../../src/cli/session/service.js";

const LIMITS = { concurrency: 1, rps: undefined, headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000 };

test.each([
  ["contract", /^nothing beyond the contract, by reads/],
  ["real", /^dated-times, readable-errors, two-dates, by reads/],
])("three reads about a user tell of %s", async (behaves, words) => {
  const population = {
    kind: "synthetic",
    users: 1,
    linksPerUser: 1,
    rows: 20,
    otherStates: true,
  } as const;
  const sandbox = await startSandbox({ population, behaves: behavioursOf(behaves) });
  const [fpId = ""] = sandbox.world.users.keys();
  const client = openServiceClient({ ...LIMITS, url: sandbox.url, key: sandbox.apiKey, maxBodyBytes: 1e6 });
  const said = await behaviourOf(client, fpId);
  await client.close();
  await sandbox.close();
  expect(said).toMatch(words);
});
