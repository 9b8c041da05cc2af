import type { AddCommand } from "./command.js";
import { cipExport } from "./export/cip.js";
import { kybExport } from "./export/kyb.js";
import { vaultExport } from "./export/vault.js";

export const exportCommand: AddCommand = (program, terminal, end) => {
  const exports = program
    .command("export")
    .description("export customers as a self-verifying pack, businesses and vault data as tables");
  for (const add of [cipExport, vaultExport, kybExport]) add(exports, terminal, end);
};
