import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { POPULATION_HEAD, populationLine, populationOf } from "../../../src/jobs/cip/member-lines.js";

const SUBJECT = {
  fpId: "fp_1",
  externalId: "a,b",
  risk: null,
  accountClosedOn: "2026-01-31",
  legalHold: true,
};

test("a population's hash is that of its file", async () => {
  const text = `${POPULATION_HEAD}${populationLine(SUBJECT)}${populationLine({ ...SUBJECT, fpId: "fp_2" })}`;
  expect(text).toBe(
    "fp_id,external_id,risk,account_closed_on,legal_hold\r\n" +
      'fp_1,"a,b",,2026-01-31,true\r\nfp_2,"a,b",,2026-01-31,true\r\n',
  );
  const sha256 = createHash("sha256").update(text).digest("hex");
  expect(await populationOf([SUBJECT, { ...SUBJECT, fpId: "fp_2" }])).toEqual({ rows: 2, sha256 });
});
