import { InputError } from "../../domain/failures.js";
import type { VerifyFlags } from "../sync/verify-lake.js";
import { type AddCommand, examples } from "./command.js";

export const verifyCommand: AddCommand = (program, terminal, end) => {
  program
    .command("verify")
    .argument(
      "[directory]",
      "directory of an exported pack, or its s3:// address; leave it out to verify the lake",
    )
    .description("prove that nothing is missing or changed: in the lake, or offline in an exported pack")
    .option(
      "--quick",
      "of the lake: files by their size, and certificates; not bytes, derived tables and roots",
    )
    .option("--root <hash>", "a root that was kept elsewhere: fail unless the lake's history contains it")
    .option("--public-key <file>", "Ed25519 public key (PEM) of the signer; fail unless it signed the pack")
    .option("--json", "print what was verified as JSON")
    .addHelpText(
      "after",
      examples(
        "nightledger verify",
        "nightledger verify --root <hash>",
        "nightledger verify lake/_exports/cip/<export> --public-key signer.pem",
      ),
    )
    .action(async (directory: string | undefined, flags: VerifyFlags & { readonly publicKey?: string }) => {
      if (directory === undefined) {
        if (flags.publicKey !== undefined) {
          throw new InputError(
            "--public-key is for an exported pack: give its directory. A lake has no signature.",
          );
        }
        const { verifyLake } = await import("../sync/verify-lake.js");
        return end(await verifyLake(terminal, flags));
      }
      if (flags.quick || flags.root !== undefined) {
        throw new InputError("--quick and --root are for the lake: leave out the directory of the pack.");
      }
      const { runVerifyPack } = await import("../bulk/verify-pack.js");
      await runVerifyPack(terminal, directory, flags);
    });
};
