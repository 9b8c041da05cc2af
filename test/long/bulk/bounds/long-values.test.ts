import { createHash, randomBytes } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import type { AnyJob } from "../../../../src/jobs/job.js";
import { vaultJob } from "../../../../src/jobs/vault.js";
import { vaultWriteJob } from "../../../../src/jobs/vault-write.js";
import { openColumn } from "../../../../src/lake/tables/encrypted-column.js";
import { type BulkWorld, openBulkWorld } from "../../../helpers/bulk/bulk-harness.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const FIELD = "custom.photo";
const IMAGE_BYTES = 900_000;

let world: BulkWorld;
afterEach(() => world.close());

async function open(job: unknown, users: number): Promise<void> {
  const population = { kind: "synthetic", linksPerUser: 0, accountsPerLink: 0, rows: 0, users } as const;
  world = await openBulkWorld(sharedTemporal(), job as AnyJob, { direct: true, sandbox: { population } });
}

const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");

/** The hash of what each row of a table has in an encrypted column, by another column; so many rows are read at a time. */
async function hashes(
  table: string,
  key: string,
  column: string,
  step: number,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const keys = await world.rows(`select ${key} as key from ${table} order by all`);
  for (let at = 0; at < keys.length; at += step) {
    const some = keys.slice(at, at + step).map((row) => `'${row.key}'`);
    const rows = await world.rows(
      `select ${key} as key, ${column} as value from ${table} where ${key} in (${some.join(", ")})`,
    );
    for (const row of rows) {
      const opened = openColumn(world.sealed.sealer, table, column, String(row.value));
      found.set(String(row.key), sha256(opened));
    }
  }
  return found;
}

test("images as values, more than memory would hold at once, come out of the vault byte for byte", async () => {
  await open(vaultJob, 30);
  const users = [...world.sandbox.world.users.keys()];
  const images = new Map(users.map((fp_id) => [fp_id, randomBytes(IMAGE_BYTES).toString("base64")]));
  for (const [fp_id, image] of images) world.sandbox.vaults.write(fp_id, { [FIELD]: image });
  const rows = users.map((fp_id) => ({ fp_id }));
  expect(await world.run(rows, { fields: [FIELD], reason: "review", transforms: null })).toMatchObject({
    status: "completed",
    rows: { total: 30, done: 30 },
  });
  const expected = new Map([...images].map(([fp_id, image]) => [fp_id, sha256(image)]));
  expect(await hashes("vault_values", "fp_id", "value", 10)).toEqual(expected);
  expect(await world.rows("select count(*)::integer as n from vault_values")).toEqual([{ n: 30 }]);
});

test("images as values go into the vault once, in groups that memory holds", async () => {
  await open(vaultWriteJob, 20);
  const users = [...world.sandbox.world.users.keys()];
  const image = randomBytes(IMAGE_BYTES).toString("base64");
  const rows = users.map((fp_id) => ({ fp_id, [FIELD]: `${fp_id}${image}` }));
  const begun = await world.begin(rows);
  expect(await begun.handle.result()).toMatchObject({ status: "completed", rows: { done: 20 } });
  for (const fp_id of users) expect(world.sandbox.vaults.contents(fp_id)[FIELD]).toBe(`${fp_id}${image}`);
  const written = await world.rows("select fp_id, status from vault_writes order by fp_id");
  expect(written).toEqual([...users].sort().map((fp_id) => ({ fp_id, status: "written" })));
  // Six rows of 1.2 MB make a group.
  const { events } = await begun.handle.fetchHistory();
  const plans = (events ?? []).filter(
    ({ activityTaskScheduledEventAttributes: of }) => of?.activityType?.name === "planItems",
  );
  expect(plans).toHaveLength(4);
});
