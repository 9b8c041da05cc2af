import { expect, test } from "vitest";
import { addRefusals, type Refusals, refusalsInWords } from "../../src/domain/refusals.js";
import { labelledLines } from "../../src/domain/words/texts.js";

const PLAYBOOK = { status: 400, message: 'field "key": no such playbook' };

test("the same words and status are counted together, the first ten of them", () => {
  let sum: readonly Refusals[] = [];
  for (let at = 0; at < 30; at += 1) sum = addRefusals(sum, [{ count: 1, ...PLAYBOOK }]);
  sum = addRefusals(sum, [{ count: 2, ...PLAYBOOK, status: 422 }]);
  const others = Array.from({ length: 12 }, (_, at) => ({ count: 1, status: 400, message: `no ${at}` }));
  sum = addRefusals(addRefusals(sum, others), [{ count: 5, ...PLAYBOOK }]);
  expect(sum).toHaveLength(10);
  expect(sum.slice(0, 3)).toEqual([
    { count: 35, ...PLAYBOOK },
    { count: 2, ...PLAYBOOK, status: 422 },
    { count: 1, status: 400, message: "no 0" },
  ]);
});

test("people read how often, the status and the words", () => {
  const refusals = [
    { count: 30, ...PLAYBOOK },
    { count: 1, status: 404, message: null },
  ];
  expect(labelledLines(refusalsInWords(refusals))).toEqual([
    'refused   30 × 400: field "key": no such playbook',
    "refused   1 × 404",
  ]);
  expect(refusalsInWords([])).toEqual([]);
});
