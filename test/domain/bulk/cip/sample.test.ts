import { expect, test } from "vitest";
import type { CipException, ExceptionKind } from "../../../../src/domain/bulk/cip/exceptions.js";
import { SampleDraw, strataOf } from "../../../../src/domain/bulk/cip/sample.js";

const exception = (kind: ExceptionKind): CipException => ({
  kind,
  part: null,
  element: "",
  detail: "",
  sources: null,
});
const SIZES = { exceptions: 2, manual_approval: 1, incomplete: 0, high_risk: 1, random: 3 };
/** Lots that are good enough to tell people apart. */
const lotOf = (stratum: string, fpId: string) => [...`${fpId}${stratum}`].reverse().join("");

test.each([
  ["exported", null, [], ["random"]],
  ["exported", " HIGH ", ["consider"], ["exceptions", "high_risk", "random"]],
  ["exported", "low", ["manual_approval"], ["manual_approval", "random"]],
  ["exported", null, ["missing"], ["exceptions", "incomplete", "random"]],
  ["failed", null, ["no_report"], ["incomplete", "random"]],
  ["excluded", "high", [], []],
] as const)("a member %s, risk %s, with %j is of %j", (status, risk, kinds, strata) => {
  expect(strataOf({ status, risk, exceptions: kinds.map(exception) })).toEqual(strata);
});

test("the same people are drawn in whatever order they come, so many of each stratum", () => {
  const people = Array.from({ length: 40 }, (_, index) => `fp_${index}`);
  const draw = (order: readonly string[]) => {
    const sample = new SampleDraw(SIZES, lotOf);
    for (const fpId of order) sample.add(fpId, ["exceptions", "incomplete", "random"]);
    return sample;
  };
  const drawn = draw(people);
  expect(draw([...people].reverse()).people()).toEqual(drawn.people());
  expect(drawn.counts()).toEqual([
    { stratum: "exceptions", drawn: 2, of: 40 },
    { stratum: "manual_approval", drawn: 0, of: 0 },
    { stratum: "incomplete", drawn: 0, of: 40 },
    { stratum: "high_risk", drawn: 0, of: 0 },
    { stratum: "random", drawn: 3, of: 40 },
  ]);
  const smallest = [...people].sort((a, b) => (lotOf("random", a) < lotOf("random", b) ? -1 : 1)).slice(0, 3);
  const random = drawn.people().filter(({ strata }) => strata.includes("random"));
  expect(random.map(({ fpId }) => fpId)).toEqual(smallest.sort());
});
