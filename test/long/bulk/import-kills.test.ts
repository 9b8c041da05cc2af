import { expect, test } from "vitest";
import { runImportTrial } from "../../helpers/bulk/import-trial.js";

test.each([1, 2])("twenty kills of an import, seed %i: each row of the file is there once", async (seed) => {
  const { killed, code, file, there, ledger } = await runImportTrial(seed, 20);
  expect(killed).toBe(20);
  expect(code).toBe(0);
  expect(there).toEqual(file);
  expect(ledger).toContainEqual({ status: "accepted", n: file.length });
});
