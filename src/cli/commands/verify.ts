import { InputError } from "../../domain/failures.js";
import { type AddCommand, examples } from "./command.js";

export const verifyCommand: AddCommand = (program, terminal, end) => {
  program
    .command("verify")
    .argument("[directory]", "directory of an exported pack; leave it out to verify the lake")
    .description("prove that nothing is missing or changed: in the lake, or offline in an exported pack")
    .option("--public-key <file>", "Ed25519 public key (PEM) of the signer; fail unless it signed the pack")
    .option("--json", "print what was verified as JSON")
    .addHelpText(
      "after",
      examples("nightledger verify", "nightledger verify lake/_exports/cip/<export> --public-key signer.pem"),
    )
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
