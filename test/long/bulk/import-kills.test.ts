import { expect, test } from "vitest";
import { runImportTrial } from "../../helpers/bulk/import-trial.js";

/** Each kill is noticed after ten seconds and more, which are spent waiting. */
const KILLS = Number(process.env.NIGHTLEDGER_IMPORT_KILLS ?? 8);
const MOST_MS = 120_000 + KILLS * 90_000;

test(
  `${KILLS} kills of an import: each row of the file is there once`,
  async () => {
    const { killed, code, file, there, ledger } = await runImportTrial(1, KILLS);
    expect(killed).toBe(KILLS);
    expect(code).toBe(0);
    expect(there).toEqual(file);
    expect(ledger).toContainEqual({ status: "accepted", n: file.length });
  },
  MOST_MS,
);
