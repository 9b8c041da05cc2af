import { appendFile, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { InputError } from "../../../src/domain/failures.js";
import {
  appendContinuation,
  type Delivery,
  openedContinuations,
} from "../../../src/lake/onboarding/continuation-file.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const sealer = createSealer(TEST_KEYS);
const temp = eachTest(tempDirectory);
let path: string;

beforeEach(async () => {
  path = join(temp.path, "links.jsonl");
});

const delivery = (number: number): Delivery => ({
  delivery_id: `onb-1-1-${number}`,
  batch_id: "onb",
  line: 1,
  fp_id: "fp_1",
  external_id: null,
  onboarding_id: null,
  link: "https://go.on",
  token: `secret-${number}`,
  expires_at: "2030-01-01",
});
const append = (number: number) => appendContinuation(path, delivery(number), sealer);
const read = async () => openedContinuations(await readFile(path, "utf8"), sealer);
const size = async () => (await readFile(path)).length;

test("a line that was cut short at any byte costs itself alone, and the next delivery begins a new line", async () => {
  await append(1);
  const whole = await size();
  await append(2);
  const twice = await size();
  for (const cut of [whole + 1, whole + 20, twice - 3, twice - 2]) {
    await truncate(path, cut);
    await append(3);
    expect(await read(), `cut at ${cut}`).toEqual({ deliveries: [delivery(1), delivery(3)], torn: [2] });
    await truncate(path, whole);
    await append(2);
  }
});

test("a line that lacks nothing but its end is whole", async () => {
  await append(1);
  await truncate(path, (await size()) - 1);
  await append(2);
  expect(await read()).toEqual({ deliveries: [delivery(1), delivery(2)], torn: [] });
});

test("zeros that a power failure left are a torn line", async () => {
  await append(1);
  await appendFile(path, `${"\0".repeat(300)}\n`);
  await append(2);
  expect(await read()).toEqual({ deliveries: [delivery(1), delivery(2)], torn: [2] });
});

test("a file in which nothing is a delivery is refused", () => {
  expect(() => openedContinuations("fp_id,name\nfp_1,Ann\n", sealer)).toThrow(InputError);
  expect(openedContinuations("", sealer)).toEqual({ deliveries: [], torn: [] });
  expect(openedContinuations('{"delivery_id":"onb-1', sealer)).toEqual({ deliveries: [], torn: [1] });
});
