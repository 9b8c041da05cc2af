import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ingressRuleProblem, segmentsOfJsonPath } from "../../../src/domain/service/ingress-rule.js";

it("a rule names user, identifier and JSON path", () => {
  expect(ingressRuleProblem("fp_id_1.custom.pan=$.card['number'][0]")).toBeUndefined();
});

describe("what is not a rule says why, without quoting it", () => {
  it.each<[string, RegExp]>([
    ["", /no =/],
    ["fp_id_1.id.ssn9", /no =/],
    ["=$.a", /no fp_id/],
    ["custom=$.a", /no fp_id/],
    [".id.ssn9=$.a", /no fp_id/],
    ["id.ssn9=$.a", /not a data identifier/],
    ["fp_id_1.id.secret=$.a", /not a data identifier/],
    ["fp_id_1.custom.=$.a", /custom without a name/],
    ["fp_id_1.id.ssn9=", /no JSON path/],
    ["fp_id_1.id.ssn9=secret", /no JSON path/],
    ["fp_id_1.id.ssn9=$secret", /no JSON path/],
  ])("%s", (text, problem) => {
    expect(ingressRuleProblem(text)).toMatch(problem);
    expect(ingressRuleProblem(text)).not.toContain("secret");
  });
});

it("the first = ends the identifier", () => {
  const part = fc.stringMatching(/^[a-z0-9_.=-]{1,12}$/);
  fc.assert(
    fc.property(fc.stringMatching(/^fp_[a-z0-9_]{1,8}$/), part, part, (fpId, name, member) => {
      const problem = ingressRuleProblem(`${fpId}.custom.${name}=$['${member}']`);
      expect(problem === undefined).toBe(!name.includes("="));
    }),
  );
});

describe("a JSON path", () => {
  it.each<[string, number]>([
    ["$", 0],
    ["$.a", 1],
    ["$.a.b_c", 2],
    ["$..a[*].*", 3],
    ["$[0][-1]['x y'][\"z\"]", 4],
    ["$[1:3][?@.price<10]", 2],
    [String.raw`$['it\'s']`, 1],
  ])("%s has %i segments", (text, count) => expect(segmentsOfJsonPath(text)).toHaveLength(count));

  it.each(["", "a", ".a", "$.", "$a", "$[", "$[]", "$['a]", "$.a b", "$.a..", "$[a]"])("%j is none", (text) =>
    expect(segmentsOfJsonPath(text)).toBeUndefined(),
  );
});
