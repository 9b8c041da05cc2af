import { utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@temporalio/client";
import { beforeEach, expect, test } from "vitest";
import { openClaim } from "../../../src/intake/bulk/start.js";
import { BulkStaging, type FrozenFile } from "../../../src/lake/bulk/bulk-staging.js";
import { EffectClaims } from "../../../src/lake/bulk/effect-claims.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const STAGING = "import-0123456789abcdef";
const RUN = { runId: "import-1", staging: STAGING, workflowId: "bulk/1" };
const client = {
  options: { namespace: "default" },
  connection: { workflowService: { describeNamespace: async () => ({ namespaceInfo: { id: "this" } }) } },
} as unknown as Client;

const temp = eachTest(tempDirectory);
let sealed: SealedStore;
beforeEach(async () => {
  sealed = new SealedStore(createLocalStore(temp.path), createSealer(TEST_KEYS));
  await new BulkStaging(sealed, STAGING).file.putIfAbsent({} as FrozenFile);
  await new EffectClaims(sealed, "import").take({ ...RUN, namespaceId: "another" }, async () => undefined);
});

test("--restart is refused while another machine makes calls of the run, and not once that is dead", async () => {
  const claim = await openClaim(client, sealed, "import", { ...RUN, runId: "import-2", restart: true });
  await claim.assertFree();
  const key = `${new BulkStaging(sealed, STAGING).itemPrefix(0, 0)}send/intent-0`;
  await sealed.put(key, {});
  await expect(claim.assertFree()).rejects.toThrow(
    /run import-1 worked .* ago, so something still runs it\. Nothing was started/,
  );
  const before = new Date(Date.now() - 3 * 60_000);
  await utimes(join(temp.path, key), before, before);
  await claim.assertFree();
});
