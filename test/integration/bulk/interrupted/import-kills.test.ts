import { expect, test } from "vitest";
import { runImportTrial } from "../../../helpers/bulk/import-trial.js";

test("an import that is killed three times: each row of the file is there once", async () => {
  const { killed, code, file, there, ledger } = await runImportTrial(7, 3);
  expect({ killed, code }).toEqual({ killed: 3, code: 0 });
  expect(there).toEqual(file);
  expect(ledger).toContainEqual({ status: "accepted", n: file.length });
});
