import { expect, test } from "vitest";
import { runImportTrial } from "../../helpers/bulk/import-trial.js";

/** Each kill is noticed after ten seconds and more, which are spent waiting. */
const MOST_MS = 1_800_000;

test(
  "twenty kills of an import: each row of the file is there once",
  async () => {
    const { killed, code, file, there, ledger } = await runImportTrial(1, 20);
    expect(killed).toBe(20);
    expect(code).toBe(0);
    expect(there).toEqual(file);
    expect(ledger).toContainEqual({ status: "accepted", n: file.length });
  },
  MOST_MS,
);
