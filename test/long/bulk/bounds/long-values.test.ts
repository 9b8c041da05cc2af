import { createHash, randomBytes } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { vaultJob } from "../../../../src/jobs/vault.js";
import { openColumn } from "../../../../src/lake/tables/encrypted-column.js";
import { type BulkWorld, openBulkWorld } from "../../../helpers/bulk/bulk-harness.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const FIELD = "custom.photo";
const IMAGE_BYTES = 900_000;

const USERS = 30;
/** Rows whose values are looked at together. */
const STEP = 10;

let world: BulkWorld;
afterEach(() => world.close());

const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");

test("images as values, more than memory would hold at once, come out of the vault byte for byte", async () => {
  const population = {
    kind: "synthetic",
    linksPerUser: 0,
    accountsPerLink: 0,
    rows: 0,
    users: USERS,
  } as const;
  world = await openBulkWorld(sharedTemporal(), vaultJob, { direct: true, sandbox: { population } });
  const users = [...world.sandbox.world.users.keys()];
  const images = new Map(users.map((fp_id) => [fp_id, randomBytes(IMAGE_BYTES).toString("base64")]));
  for (const [fp_id, image] of images) world.sandbox.vaults.write(fp_id, { [FIELD]: image });
  const rows = users.map((fp_id) => ({ fp_id }));
  expect(await world.run(rows, { fields: [FIELD], reason: "review", transforms: null })).toMatchObject({
    status: "completed",
    rows: { total: USERS, done: USERS },
  });
  const found: [string, string][] = [];
  for (let at = 0; at < USERS; at += STEP) {
    const some = await world.rows(
      `select fp_id, value from vault_values order by fp_id limit ${STEP} offset ${at}`,
    );
    for (const { fp_id, value } of some) {
      const opened = openColumn(world.sealed.sealer, "vault_values", "value", String(value));
      found.push([String(fp_id), sha256(opened)]);
    }
  }
  expect(found).toEqual([...images].map(([fp_id, image]) => [fp_id, sha256(image)]).sort());
  expect(await world.rows("select count(*)::integer as n from vault_values")).toEqual([{ n: USERS }]);
});
