import { expect, test } from "vitest";
import { type CipFlags, exportCip } from "../../../src/cli/bulk/export-cip.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";

const FLAGS = { roster: "users.csv", approver: "compliance@bank.example", pdf: true } as const;

test.each<[string, Partial<CipFlags>, RegExp]>([
  ["a blank approver", { approver: " " }, /^--approver is blank\./],
  ["a blank reason", { reason: " " }, /^--reason is blank\./],
  ["a blank reason to unmask", { reason: "", unmasked: true }, /^--reason is blank\./],
  ["no reason to unmask", { unmasked: true }, /^--unmasked shows .* needs --reason/],
])("%s is refused before anything is read", async (_, flags, words) => {
  await expect(exportCip(SILENT, { ...FLAGS, ...flags })).rejects.toThrow(words);
});
