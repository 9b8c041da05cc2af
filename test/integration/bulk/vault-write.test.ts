import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { commandWorld } from "../../helpers/command/command-world.js";
import { holding } from "../../helpers/onboarding/planted-texts.js";

const PATCH = { operation: "update_vault" } as const;
const UPLOAD = { operation: "upload_to_vault" } as const;
const IMAGE = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 7) % 256));

const world = commandWorld({
  seed: 7,
  population: { kind: "synthetic", users: 12, linksPerUser: 0, accountsPerLink: 0, rows: 0 },
  vaults: "empty",
});
let users: readonly string[];
beforeEach(() => {
  users = [...world.sandbox.world.users.keys()];
});

const { say: run, write } = world;
const rowsOf = async (sql: string) => (await run("query", sql)).said as Record<string, unknown>[];
const OUTCOMES = "select line, fp_id, status, fields, fields_written, reason from vault_writes order by line";

/** A row of JSONL for each user, with what the vault must hold afterwards. */
async function writeRows() {
  await write("statement.pdf", IMAGE);
  const rows = users.map((fp_id, at) => ({
    fp_id,
    "id.first_name": `Quitepersonal${at}`,
    "custom.limit": at,
    "custom.flag": at % 2 === 0,
    "custom.more": { list: [at, "a"], none: null },
    ...(at % 3 === 0 && { "upload:custom.statement": "statement.pdf" }),
  }));
  await write("rows.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return rows.map(({ fp_id, "upload:custom.statement": file, ...values }) => ({
    fp_id,
    vault: {
      ...values,
      ...(file !== undefined && {
        "custom.statement": {
          bytes: IMAGE.length,
          sha256: createHash("sha256").update(IMAGE).digest("hex"),
          content_type: "application/pdf",
        },
      }),
    },
  }));
}

test("values and files as the rows have them, a token for exactly these fields, one outcome per row", async () => {
  const expected = await writeRows();
  const { code, said } = await run("vault", "write", "--file", "rows.jsonl");
  expect({ code, said }).toMatchObject({
    code: 0,
    said: { job: "vault_write", status: "completed", rows: { total: 12, done: 12 }, calls: 28 },
  });
  for (const { fp_id, vault } of expected) expect(world.sandbox.vaults.contents(fp_id)).toEqual(vault);
  const values = ["id.first_name", "custom.limit", "custom.flag", "custom.more"];
  expect(world.sandbox.tokens.grants(users[0] ?? "")).toEqual([
    { scope: "vault", fields: [...values, "custom.statement"], ttl: 60 },
  ]);
  const outcomes = await rowsOf(OUTCOMES);
  expect(outcomes).toEqual(
    users.map((fp_id, at) => {
      const fields = JSON.stringify([...values, ...(at % 3 === 0 ? ["custom.statement"] : [])]);
      return { line: at + 1, fp_id, status: "written", fields, fields_written: fields, reason: null };
    }),
  );
  const found = await holding(world.folder.directory, ["Quitepersonal"]);
  expect(found.filter((place) => !place.startsWith("rows.jsonl"))).toEqual([]);
});

test("what is refused says how far it came; a retry needs neither the file nor the uploads", async () => {
  const expected = await writeRows();
  const [first = "", second = "", third = ""] = users;
  world.sandbox.addFaults(
    { ...UPLOAD, user: first, kind: "status", status: 400, body: "no Quitepersonal0 here" },
    { ...PATCH, user: second, kind: "status", status: 500, times: 1 },
    { ...PATCH, user: second, kind: "status", status: 400 },
    { operation: "create_client_token", user: third, kind: "status", status: 404 },
  );
  const { code, said } = await run("vault", "write", "--file", "rows.jsonl");
  expect({ code, rows: said.rows }).toMatchObject({ code: 1, rows: { done: 9, failed: 3 } });
  expect((await rowsOf(OUTCOMES)).slice(0, 3)).toMatchObject([
    { line: 1, status: "partly_written", reason: "refused http_400" },
    { line: 2, status: "unknown", fields_written: "[]", reason: "refused http_400" },
    { line: 3, status: "not_written", fields_written: "[]", reason: "not_found" },
  ]);
  expect(JSON.stringify(said)).not.toContain("Quitepersonal");
  world.sandbox.clearFaults();
  await rm(join(world.folder.directory, "statement.pdf"));
  await rm(join(world.folder.directory, "rows.jsonl"));
  expect(await run("runs", "retry", said.run_id)).toMatchObject({
    code: 0,
    said: { rows: { total: 3, done: 3 } },
  });
  for (const { fp_id, vault } of expected) expect(world.sandbox.vaults.contents(fp_id)).toEqual(vault);
  const left = await holding(join(world.folder.lake, "_staging"), ["Quitepersonal"]);
  expect(left).toEqual([]);
});

test("every wrong row by line, column and rule; nothing is started", async () => {
  const [a, b, c, d, e, f, g] = users;
  await write("empty.txt", "");
  const header = "fp_id,external_id,id.email,upload:custom.file,upload:business.name,nickname";
  const lines = [`${a},x,a@b.c,,,`, `${b},,,,,`, `${c},,,nowhere.png,,`, `${d},,,empty.txt,,`];
  lines.push(`${e},,,,card.png,`, `${f},,,,,Bob`, `${a},,b@c.d,,,`, `,,b@c.d,,,`, `${g},, ,,,`);
  await write("rows.csv", [header, ...lines, ""].join("\n"));
  const { code, said } = await run("vault", "write", "--file", "rows.csv");
  expect(code).toBe(2);
  expect(said.error.message).toMatch(/Nothing was started/);
  const judged = await run("vault", "write", "--file", "rows.csv", "--validate-only");
  expect(
    judged.said.problems.map(({ line, column, rule }: Record<string, unknown>) => [line, column, rule]),
  ).toEqual([
    [3, null, "has no value and no file"],
    [4, "upload:custom.file", "is the path of a file that is not there"],
    [5, "upload:custom.file", "is the path of an empty file"],
    [6, "upload:business.name", expect.stringMatching(/^is of the group business/)],
    [7, "nickname", expect.stringMatching(/^is not a data identifier; accepted: id/)],
    [8, "fp_id", "is the same as in line 2"],
    [9, "fp_id", "is missing"],
    [10, "id.email", "is blank"],
  ]);
  expect(world.sandbox.requests()).toEqual([]);
});

test("JSONL: a value that would not arrive as it is written is refused", async () => {
  const [a, b, c, d] = users;
  const lines = [
    `{"fp_id":"${a}","custom.x":9007199254740993}`,
    `{"fp_id":"${b}","custom.x":1.5}`,
    `{"fp_id":"${c}","custom.x":["\\ud800"]}`,
    `{"fp_id":"${d}","id.email":"a@b.c","upload:id.email":"rows.jsonl"}`,
  ];
  await write("rows.jsonl", lines.join("\n"));
  const { said } = await run("vault", "write", "--file", "rows.jsonl", "--validate-only");
  expect(said.problems.map(({ code }: { code: string }) => code)).toEqual([
    "inexact_number",
    "not_integer",
    "lone_surrogate",
    "value_too",
  ]);
});
