import { expect, test } from "vitest";
import { AnotherSubjectError, factsOf, SchemaError, TransientError } from "../../../src/api/http/errors.js";
import {
  createOnboarding,
  getUser,
  importTransactions,
  OPERATIONS,
  updateVault,
  uploadToVault,
} from "../../../src/api/operations/index.js";
import type { Operation } from "../../../src/api/operations/operation.js";
import { NOT_PROMISED, USELESS_ANSWER } from "../../../src/domain/backoff.js";

const READ = /Nothing was read\. Try again later/;
const UNKNOWN = /not known whether the request was carried out: find out before you send it again/;
const HARMLESS = /It may have been carried out; the same request again does no harm\. Try again later/;
const UNSENT = /It was not sent, so nothing was changed\. Try again later/;
const SENTENCES = [READ, UNKNOWN, HARMLESS, UNSENT];

const mismatch = { field: "id", answered: "a…", asked: "b…" };
const FAILURES = [
  ...["connection_reset", "timeout", "torn_body", "http_503", USELESS_ANSWER, NOT_PROMISED].map(
    (reason) => (facts: ReturnType<typeof factsOf>) => new TransientError(facts, reason),
  ),
  (facts: ReturnType<typeof factsOf>) => new SchemaError(facts, "id", "not text"),
  (facts: ReturnType<typeof factsOf>) => new AnotherSubjectError(facts, mismatch),
];

/** What each class of operation may be told after a failure; undefined: nothing about an effect. */
function truth({ idempotent, changes }: Operation, sent: boolean): RegExp | undefined {
  if (idempotent && changes !== true) return READ;
  if (!sent) return UNSENT;
  return idempotent ? HARMLESS : UNKNOWN;
}

test.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
  "%s: each failure says what the request may have done, and nothing else",
  (_, operation) => {
    for (const sent of [true, false]) {
      for (const failed of FAILURES) {
        const error = failed({ ...factsOf(operation, undefined), sent });
        const expected = truth(operation, sent);
        // An answer that was read and not used says so itself; what is told of a read is only what to do.
        const said = expected === READ && !(error instanceof TransientError) ? undefined : expected;
        expect(SENTENCES.filter((sentence) => sentence.test(error.message))).toEqual(said ? [said] : []);
      }
    }
  },
);

test("there are operations of each class", () => {
  expect(
    [getUser, updateVault, uploadToVault, importTransactions, createOnboarding].map((one) =>
      truth(one, true),
    ),
  ).toEqual([READ, HARMLESS, HARMLESS, UNKNOWN, UNKNOWN]);
});
