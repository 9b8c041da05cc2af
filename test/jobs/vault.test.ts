import { expect, test } from "vitest";
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
  ['["US", "AT"]', "list"],
  ["1e3", "number"],
  ['"half a character: \\ud800"', "json"],
])("%s is stored as it came", async (json, type) => {
  expect((await rowsOf(`{"id.email": ${json} }`))[0]).toEqual(["value", type, json]);
});

test.each([
  ["00ffA1", undefined],
  ["secret", /no hexadecimal digits/],
  ["abc", /no hexadecimal digits/],
])("a key %s of hmac_sha256 is doubtful: %s", (key, doubt) => {
  const said = vaultJob.doubt?.secret?.(key);
  if (doubt === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(doubt);
});
