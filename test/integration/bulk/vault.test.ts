import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Fault } from "../../../sandbox/faults/fault.js";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { sayHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { holding } from "../../helpers/onboarding/planted-texts.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const CALL = { operation: "decrypt_vault" } as const;
const FIELDS = ["id.email", "id.dob", "custom.plan"];
const PLAIN =
  "select fp_id, external_id, field, status, value_type, value from vault_values order by fp_id, field";

let sandbox: Sandbox;
let folder: JobFolder;
let users: readonly string[];
beforeEach(async () => {
  const population = { kind: "synthetic", users: 30, linksPerUser: 0, accountsPerLink: 0, rows: 0 } as const;
  sandbox = await startSandbox({ seed: 7, population });
  users = [...sandbox.world.users.keys()];
  folder = await openClusterFolder(sandbox, sharedTemporal());
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

const run = (...args: string[]) => sayHere(folder, ...args);
const exported = (...more: string[]) =>
  run("export", "vault", "--roster", "users.csv", "--reason", "yearly review", ...more);
const opened = async (sql: string) =>
  (await run("query", "--decrypt", sql)).said as Record<string, unknown>[];

/** What the table must say of a user, by what the stand-in's vault holds. */
function truth(fp_id: string, fields: readonly string[]) {
  const vault = sandbox.vaults.contents(fp_id);
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
  sandbox.vaults.write(first, { "custom.plan": "gold\u0000 \u{1F600}" });
  sandbox.vaults.write(second, { "custom.plan": { tier: 2, of: ["a", { b: null }] } });
  sandbox.vaults.write(third, { "custom.plan": 9007199254740991 });
  const { code, said } = await exported("--fields", FIELDS.join(","));
  expect({ code, said }).toMatchObject({
    code: 0,
    said: { job: "vault", status: "completed", rows: { total: 30, done: 30 }, calls: 60, failures_total: 0 },
  });
  const expected = [...users].sort().flatMap((fp_id) => truth(fp_id, FIELDS));
  const rows = await opened(PLAIN);
  expect(rows.map(({ external_id: _, ...row }) => row)).toEqual(expected);
  for (const fp_id of users) {
    expect(sandbox.tokens.grants(fp_id)).toEqual([
      { scope: "decrypt", fields: FIELDS, decrypt_reason: "yearly review", ttl: 60 },
    ]);
    expect(sandbox.vaults.decryptions(fp_id)).toMatchObject([
      { fields: FIELDS, reason: "yearly review", transforms: [] },
    ]);
  }
  const sealed = (await run("query", "select value from vault_values where value is not null")).said;
  expect(sealed.every(({ value }: { value: string }) => value.startsWith("TkxTM"))).toBe(true);
  const emails = users.map((fp_id) => String(sandbox.vaults.contents(fp_id)["id.email"]));
  expect(await holding(folder.directory, emails)).toEqual([]);
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

test("numbers keep every digit, and what is missing or null is absent", async () => {
  const body =
    '{"id.email":123456789012345678901234567890,"id.dob":null,"custom.plan":{"a":[1.10,{"b":0.30}]}}';
  sandbox.addFault({ ...CALL, kind: "wrong_body", contentType: "application/json", body });
  const { said } = await exported("--fields", "id.email,id.dob,custom.plan,id.city");
  expect(said).toMatchObject({ status: "completed", rows: { done: 30 } });
  expect(
    await opened("select distinct field, status, value_type, value from vault_values order by field"),
  ).toEqual([
    { field: "custom.plan", status: "value", value_type: "object", value: '{"a":[1.10,{"b":0.30}]}' },
    { field: "id.city", status: "absent", value_type: null, value: null },
    { field: "id.dob", status: "absent", value_type: null, value: null },
    { field: "id.email", status: "value", value_type: "integer", value: "123456789012345678901234567890" },
  ]);
});

test("what passes is waited for, what does not fails its user alone, and a retry asks for those alone", async () => {
  const body = '{"error":"later"}';
  const faults: readonly (readonly [Fault, RegExp])[] = [
    [
      { ...CALL, kind: "wrong_body", contentType: "application/json", body },
      /^another_subject a key: ••• for one of 3$/,
    ],
    [{ ...CALL, kind: "status", status: 400 }, /^refused http_400$/],
    [{ operation: "create_client_token", kind: "status", status: 404 }, /^not_found$/],
  ];
  sandbox.addFault({ ...CALL, kind: "token_expired", every: 7 });
  for (const [at, [fault]] of faults.entries())
    sandbox.addFault({ ...fault, user: users[at] ?? "", times: 1 });
  const { code, said } = await exported("--fields", FIELDS.join(","));
  const failed = faults.length;
  expect({ code, rows: said.rows }).toMatchObject({
    code: 1,
    rows: { total: 30, done: 30 - failed, failed },
  });
  const reasons = new Map(said.failures.map((one: Record<string, string>) => [one.owner, one.reason]));
  for (const [at, [, reason]] of faults.entries()) expect(reasons.get(users[at])).toMatch(reason);
  const rows = await opened(PLAIN);
  expect(rows.map(({ external_id: _id, ...row }) => row)).toEqual(
    users
      .slice(failed)
      .sort()
      .flatMap((user) => truth(user, FIELDS)),
  );
  sandbox.clearFaults();
  const retried = await run("runs", "retry", said.run_id);
  expect(retried).toMatchObject({ code: 0, said: { rows: { total: failed, done: failed } } });
  expect(await opened("select count(distinct fp_id)::int n, count(*)::int r from vault_values")).toEqual([
    { n: 30, r: 30 * FIELDS.length },
  ]);
});

test("secrets leave as keyed hashes, of a retry too; the key is in no table, log or option, and sealed in the staging area", async () => {
  const key = "Quite'secret\\key-4711";
  await writeFile(join(folder.directory, "hmac.key"), `${key}\n`);
  const keyed = ["--transforms", "to_lowercase, hmac_sha256", "--hmac-key", "hmac.key"];
  sandbox.addFault({ ...CALL, kind: "status", status: 400, nth: 3, body: `no ${key}` });
  const { code, said, stderr } = await exported("--fields", "id.ssn9", ...keyed);
  expect({ code, rows: said.rows }).toMatchObject({ code: 1, rows: { done: 29, failed: 1 } });
  sandbox.clearFaults();
  expect(await run("runs", "retry", said.run_id)).toMatchObject({ code: 0 });
  const hashes = users.map((fp_id) => {
    const value = String(sandbox.vaults.contents(fp_id)["id.ssn9"]);
    return { fp_id, value: createHmac("sha256", key).update(value).digest("hex") };
  });
  expect(await opened("select fp_id, value from vault_values order by fp_id")).toEqual(
    hashes.sort((a, b) => (a.fp_id < b.fp_id ? -1 : 1)),
  );
  expect(await opened("select distinct transforms from vault_values")).toEqual([
    { transforms: "to_lowercase,hmac_sha256" },
  ]);
  expect(`${JSON.stringify(said)}${stderr}`).not.toContain("key-4711");
  const found = await holding(folder.directory, ["key-4711"]);
  expect(found.filter((place) => !place.startsWith("hmac.key"))).toEqual([]);
});

test("a secret as it is needs --allow-plain, and the table has it encrypted", async () => {
  const { said } = await exported("--fields", "id.ssn9", "--allow-plain");
  expect(said).toMatchObject({ status: "completed" });
  const numbers = users.map((fp_id) => String(sandbox.vaults.contents(fp_id)["id.ssn9"]));
  expect(await opened("select value from vault_values order by fp_id")).toEqual(
    [...users].sort().map((fp_id) => ({ value: sandbox.vaults.contents(fp_id)["id.ssn9"] })),
  );
  expect(await holding(folder.directory, numbers)).toEqual([]);
  const [{ options } = {}] = await opened("select options from runs where kind = 'vault'");
  expect(JSON.parse(String(options))).toEqual({
    fields: "id.ssn9",
    reason: "yearly review",
    transforms: null,
    allow_plain: true,
  });
});

test("wrong rows are named by their line", async () => {
  await writeFile(
    join(folder.directory, "users.csv"),
    `fp_id,external_id\n${users[0]},a\n,b\nx/y,\n${users[0]},\n`,
  );
  const { code, said } = await exported("--fields", "id.email", "--validate-only");
  expect({ code, problems: said.problems }).toMatchObject({
    code: 2,
    problems: [
      { line: 3, column: "fp_id", rule: "is missing" },
      { line: 4, column: "fp_id", rule: "has a slash" },
      { line: 5, column: "fp_id", rule: "is the same as in line 2" },
    ],
  });
});
