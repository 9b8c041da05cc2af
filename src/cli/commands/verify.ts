import { InputError } from "../../domain/failures.js";
import type { AddCommand } from "./command.js";

export const verifyCommand: AddCommand = (program, terminal, end) => {
  program
    .command("verify")
    .argument("[directory]", "directory of an exported pack; omit it to verify the lake")
    .description(
      "verify an exported pack offline: files, counts, chain and signature; without a directory, the lake",
    )
    .option("--public-key <file>", "Ed25519 public key (PEM) that must have signed the pack")
    .option("--json", "print what was verified as JSON")
    .action(
      async (
        directory: string | undefined,
        flags: { readonly publicKey?: string; readonly json?: boolean },
      ) => {
        if (directory === undefined) {
          if (flags.publicKey !== undefined) {
            throw new InputError(
              "--public-key is for an exported pack: give its directory. A lake has no signature.",
            );
          }
          const { verifyLake } = await import("../sync/verify-lake.js");
          return end(await verifyLake(terminal, flags));
        }
        const { runVerifyPack } = await import("../bulk/verify-pack.js");
        await runVerifyPack(terminal, directory, flags);
      },
    );
};
