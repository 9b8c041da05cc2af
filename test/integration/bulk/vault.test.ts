import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { commandWorld } from "../../helpers/command/command-world.js";
import { holding } from "../../helpers/onboarding/planted-texts.js";

const CALL = { operation: "decrypt_vault" } as const;
const FIELDS = ["id.email", "id.dob", "custom.plan"];
const PLAIN =
  "select fp_id, external_id, field, status, value_type, value from vault_values order by fp_id, field";

const world = commandWorld({
  seed: 7,
  population: { kind: "synthetic", users: 30, linksPerUser: 0, accountsPerLink: 0, rows: 0 },
});
let users: readonly string[];
beforeEach(() => {
  users = [...world.sandbox.world.users.keys()];
});

const { say: run } = world;
const exported = (...more: string[]) =>
  run("export", "vault", "--roster", "users.csv", "--reason", "yearly review", ...more);
const opened = async (sql: string) =>
  (await run("query", "--decrypt", sql)).said as Record<string, unknown>[];

/** What the table must say of a user, by what the stand-in's vault holds. */
function truth(fp_id: string, fields: readonly string[]) {
  const vault = world.sandbox.vaults.contents(fp_id);
  return [...fields].sort().map((field) => {
    const value = vault[field];
    if (value === undefined) return { fp_id, field, status: "absent", value_type: null, value: null };
    const value_type = typeof value === "number" ? "integer" : typeof value;
    return {
      ...{ fp_id, field, status: "value", value_type },
      value: typeof value === "string" ? value : JSON.stringify(value),
    };
  });
}

test("each field of each user as the vault has it, encrypted, and a token for exactly these fields", async () => {
  const [first = "", second = "", third = ""] = users;
  world.sandbox.vaults.write(first, { "custom.plan": "gold\u0000 \u{1F600}" });
  world.sandbox.vaults.write(second, { "custom.plan": { tier: 2, of: ["a", { b: null }] } });
  world.sandbox.vaults.write(third, { "custom.plan": 9007199254740991 });
  const { code, said } = await exported("--fields", FIELDS.join(","));
  expect({ code, said }).toMatchObject({
    code: 0,
    said: { job: "vault", status: "completed", rows: { total: 30, done: 30 }, calls: 60, failures_total: 0 },
  });
  const expected = [...users].sort().flatMap((fp_id) => truth(fp_id, FIELDS));
  const rows = await opened(PLAIN);
  expect(rows.map(({ external_id: _, ...row }) => row)).toEqual(expected);
  for (const fp_id of users) {
    expect(world.sandbox.tokens.grants(fp_id)).toEqual([
      { scope: "decrypt", fields: FIELDS, decrypt_reason: "yearly review", ttl: 60 },
    ]);
    expect(world.sandbox.vaults.decryptions(fp_id)).toMatchObject([
      { fields: FIELDS, reason: "yearly review", transforms: [] },
    ]);
  }
  const sealed = (await run("query", "select value from vault_values where value is not null")).said;
  expect(sealed.every(({ value }: { value: string }) => value.startsWith("TkxTM"))).toBe(true);
  const emails = users.map((fp_id) => String(world.sandbox.vaults.contents(fp_id)["id.email"]));
  expect(await holding(world.folder.directory, emails)).toEqual([]);
  const [{ run_id, reason, transforms, decrypted_at } = {}] = await opened(
    "select * from vault_values limit 1",
  );
  expect({ run_id, reason, transforms }).toEqual({
    run_id: said.run_id,
    reason: "yearly review",
    transforms: null,
  });
  expect(Date.parse(String(decrypted_at))).toBeGreaterThan(Date.now() - 60_000);
});

test("secrets leave as keyed hashes, of a retry too; the key is in no table, log or option, and sealed in the staging area", async () => {
  const key = "Quite'secret\\key-4711";
  await writeFile(join(world.folder.directory, "hmac.key"), `${key}\n`);
  const keyed = ["--transforms", "to_lowercase, hmac_sha256", "--hmac-key", "hmac.key"];
  world.sandbox.addFault({ ...CALL, kind: "status", status: 400, nth: 3, body: `no ${key}` });
  const { code, said, stderr } = await exported("--fields", "id.ssn9", ...keyed);
  expect({ code, rows: said.rows }).toMatchObject({ code: 1, rows: { done: 29, failed: 1 } });
  world.sandbox.clearFaults();
  expect(await run("runs", "retry", said.run_id)).toMatchObject({ code: 0 });
  const hashes = users.map((fp_id) => {
    const value = String(world.sandbox.vaults.contents(fp_id)["id.ssn9"]);
    return { fp_id, value: createHmac("sha256", key).update(value).digest("hex") };
  });
  expect(await opened("select fp_id, value from vault_values order by fp_id")).toEqual(
    hashes.sort((a, b) => (a.fp_id < b.fp_id ? -1 : 1)),
  );
  expect(await opened("select distinct transforms from vault_values")).toEqual([
    { transforms: "to_lowercase,hmac_sha256" },
  ]);
  expect(`${JSON.stringify(said)}${stderr}`).not.toContain("key-4711");
  const found = await holding(world.folder.directory, ["key-4711"]);
  expect(found.filter((place) => !place.startsWith("hmac.key"))).toEqual([]);
});
