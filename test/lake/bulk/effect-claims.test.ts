import { beforeEach, expect, test } from "vitest";
import { type EffectClaim, EffectClaims } from "../../../src/lake/bulk/effect-claims.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const temp = eachTest(tempDirectory);
let claims: EffectClaims;
const frozen = new Set<string>();
beforeEach(async () => {
  const sealed = new SealedStore(createLocalStore(temp.path), createSealer(TEST_KEYS));
  claims = new EffectClaims(sealed, "import", async (staging) => frozen.has(staging));
  frozen.clear();
});

function claimOf(staging: string, runId = staging): EffectClaim {
  frozen.add(staging);
  return { runId, staging, workflowId: `w-${staging}`, namespaceId: "n" };
}
const refuse = async ({ runId }: EffectClaim) => {
  throw new Error(`taken by ${runId}`);
};

test("a claim counts until its staging is dropped", async () => {
  expect(await claims.holder()).toBeUndefined();
  await claims.take(claimOf("a"), refuse);
  expect(await claims.holder()).toMatchObject({ runId: "a" });
  await expect(claims.take(claimOf("b"), refuse)).rejects.toThrow("taken by a");
  frozen.delete("a");
  expect(await claims.holder()).toBeUndefined();
  await claims.take(claimOf("b"), refuse);
  expect(await claims.holder()).toMatchObject({ runId: "b" });
});

test("who may replace a claim does", async () => {
  await claims.take(claimOf("a", "first"), refuse);
  await claims.take(claimOf("a", "second"), async () => {});
  expect(await claims.holder()).toMatchObject({ runId: "second" });
});

test("of twenty at once, one has it", async () => {
  await claims.take(claimOf("old"), refuse);
  frozen.delete("old");
  const runs = Array.from({ length: 20 }, (_, at) => claims.take(claimOf(`s${at}`), refuse));
  const ends = await Promise.allSettled(runs);
  const won = ends.flatMap(({ status }, at) => (status === "fulfilled" ? [`s${at}`] : []));
  expect(won).toHaveLength(1);
  expect(await claims.holder()).toMatchObject({ runId: won[0] });
});
