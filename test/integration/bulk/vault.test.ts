import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Fault } from "../../../sandbox/faults/fault.js";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
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

const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await runHere(folder, [...args, "--json"]);
  return { code, stderr, said: JSON.parse(stdout) };
};
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
