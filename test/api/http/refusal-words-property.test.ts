import { expect, test } from "vitest";
import { refusalReader } from "../../../src/api/http/refusal-words.js";
import { createOnboarding } from "../../../src/api/operations/index.js";
import { madeUpRefusals, OWN, partShown } from "../../helpers/api/made-up-refusals.js";

const COUNT = Number(process.env.NIGHTLEDGER_REFUSALS ?? 4_000);

test(`of ${COUNT} made-up refusals no part of a value is shown, and in nearly all the service's own words are`, () => {
  const leaks: string[] = [];
  let plain = 0;
  let kept = 0;
  for (const { values, body, isCut, isPlain } of madeUpRefusals(7, COUNT)) {
    const said = refusalReader(createOnboarding, values)?.({ bytes: Buffer.from(body), isWhole: !isCut });
    const part = said === undefined ? undefined : partShown(said, values);
    if (part !== undefined) leaks.push(`${part} of ${JSON.stringify(values)} in ${said}`);
    if (!isPlain) continue;
    plain += 1;
    const own = OWN.filter((words) => body.includes(words));
    if (said !== undefined && own.every((words) => said.includes(words))) kept += 1;
  }
  if (process.env.NIGHTLEDGER_REFUSALS)
    process.stdout.write(`${leaks.length} leaks, kept in ${kept} of ${plain}\n`);
  expect(leaks.slice(0, 20)).toEqual([]);
  expect(kept / plain).toBeGreaterThan(0.95);
});
