import type { AddCommand } from "./command.js";
import { between } from "./option-values.js";

/** Adds `import verify`; a kind of job has made `import`. */
export const importsVerifyCommand: AddCommand = (program, terminal, end) => {
  program.commands
    .find((command) => command.name() === "import")
    ?.command("verify")
    .description("list imported rows that no sync has brought back; exit 1 if there are any")
    .option("--days <n>", "days within which an imported row must come back", between(0, 3_650), 3)
    .option("--json", "print the rows as JSON")
    .action(async (flags: { readonly days: number; readonly json?: boolean }) => {
      const { verifyImports } = await import("../bulk/verify-imports.js");
      end(await verifyImports(terminal, flags));
    });
};
