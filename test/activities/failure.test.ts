import { DuckDBInstance } from "@duckdb/node-api";
import { ApplicationFailure, CancelledFailure } from "@temporalio/activity";
import { MockActivityEnvironment } from "@temporalio/testing";
import { expect, test } from "vitest";
import { asActivityFailure } from "../../src/activities/failure.js";
import { FAILURE_TYPES, InputError, StagingLostError } from "../../src/domain/failures.js";
import { StoreFullError } from "../../src/lake/store/local/local-store-errors.js";
import { SILENT } from "../helpers/temporal/activity-bench.js";

async function failureOf(error: unknown, attempt = 1): Promise<ApplicationFailure> {
  const environment = new MockActivityEnvironment({ attempt }, { logger: SILENT });
  return environment
    .run(() => asActivityFailure(() => Promise.reject(error)))
    .then(
      () => expect.unreachable("it succeeded"),
      (failure: ApplicationFailure) => failure,
    );
}

test("the failure's type is the error's name, and an input error is final", async () => {
  const failure = await failureOf(new InputError("NIGHTLEDGER_LAKE: can't be written"));
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ type: FAILURE_TYPES.input, nonRetryable: true });
  expect(await failureOf(new Error("the store did not answer"))).toMatchObject({
    type: "Error",
    nonRetryable: false,
  });
});

test("where nothing may be given up, a full disk is tried again for ever", async () => {
  const environment = new MockActivityEnvironment({ attempt: 1_000 }, { logger: SILENT });
  const full = () => Promise.reject(new StoreFullError("full"));
  await expect(environment.run(() => asActivityFailure(full, "unless full"))).rejects.toMatchObject({
    type: FAILURE_TYPES.transient,
    nonRetryable: false,
    nextRetryDelay: 10_000,
  });
});

test("a full disk is tried again, and after nine attempts no more", async () => {
  expect((await failureOf(new StoreFullError("full"), 8)).nonRetryable).toBe(false);
  expect((await failureOf(new StoreFullError("full"), 9)).nonRetryable).toBe(true);
  const raw = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  expect(await failureOf(raw)).toMatchObject({
    type: FAILURE_TYPES.transient,
    message: expect.stringMatching(
      /^No space left to write a file of the lake, of NIGHTLEDGER_HOME or of NIGHTLEDGER_SCRATCH \(ENOSPC\)/,
    ),
  });
});

test("whatever else lasts is given up after about an hour of attempts, and lost staging at once", async () => {
  expect((await failureOf(new Error("a bug"), 124)).nonRetryable).toBe(false);
  expect(await failureOf(new Error("a bug"), 125)).toMatchObject({ type: "Error", nonRetryable: true });
  const lost = new StagingLostError("_staging/run/g0/plan.json", "torn");
  expect(await failureOf(lost)).toMatchObject({ type: FAILURE_TYPES.stagingLost, nonRetryable: true });
});

test("cancellation and failures made on purpose pass as they are", async () => {
  const cancelled = new CancelledFailure("stop");
  expect(await failureOf(cancelled)).toBe(cancelled);
});

test("what DuckDB quotes of a value is in neither message nor cause", async () => {
  const error = await quotingError();
  expect(error.message).toContain("Planted Person");
  const failure = await failureOf(error);
  expect(failure.message).toBe("SQL refused a value (Conversion Error); nothing was published");
  expect(failure.cause).toBeUndefined();
  expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain("Planted");
});

async function quotingError(): Promise<Error> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return await connection.run("select 'Planted Person'::decimal(28,10)").then(
      () => expect.unreachable("it was accepted"),
      (error: Error) => error,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
