import { expect, test } from "vitest";
import { SchemaError } from "../../src/api/http/errors.js";
import type { Caller } from "../../src/jobs/job.js";
import { vaultJob } from "../../src/jobs/vault.js";

const OPTIONS = { fields: ["id.email", "custom.plan"], reason: "review", transforms: null };
const ROWS = [{ line: 2, row: { fp_id: "fp_1" } }];

/** The table rows of a user for whom the service answers so. */
async function rowsOf(body: string) {
  const onceText = async () => ({ body, at: 0, asked: 1, repeated: "no" as const });
  const result = await vaultJob.work(ROWS, {
    options: OPTIONS,
    secrets: {},
    onceText,
  } as unknown as Caller<typeof OPTIONS>);
  const context = { runId: "r", lake: null as never, sealer: null as never, options: OPTIONS };
  const { vault_values = [] } = vaultJob.rows(context, { rows: ROWS, result, reason: null, asked: 0 });
  return vault_values.map(({ status, value_type, value }) => [status, value_type, value]);
}

test("an answer without a field says that the vault does not hold it", async () => {
  const absent = ["absent", null, null];
  expect(await rowsOf("{}")).toEqual([absent, absent]);
  expect(await rowsOf('{"id.email":null,"custom.plan":"a"}')).toEqual([absent, ["value", "string", "a"]]);
});

test.each([
  ["-12345678901234567890", "integer"],
  ["true", "boolean"],
  ["false", "boolean"],
  ['{"list": [1.10, null]}', "object"],
])("%s is stored as it came", async (json, type) => {
  expect((await rowsOf(`{"id.email": ${json} }`))[0]).toEqual(["value", type, json]);
});

test.each([
  ['{"id.email":["quitepersonal"]}', "id.email", "expected text, an integer, true, false or an object"],
  ['{"custom.plan":1.5}', "custom.plan", "expected text, an integer, true, false or an object"],
  ['{"custom.plan":1e3}', "custom.plan", "expected text, an integer, true, false or an object"],
])("%s is no answer of the vault", async (body, path, expectation) => {
  const error: unknown = await rowsOf(body).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SchemaError);
  expect(error).toMatchObject({ path, expectation });
  expect(String(error)).not.toContain("quitepersonal");
});
