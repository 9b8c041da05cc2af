import type { Command } from "commander";
import { type AddCommand, examples } from "./command.js";

/** `nightledger demo` */
export const demoCommand: AddCommand = (program: Command, terminal, end) => {
  program
    .command("demo")
    .description(
      "try everything on this machine: sync two nights from a stand-in service, import, export, and show the tables",
    )
    .option(
      "--directory <directory>",
      "where to put the demo's lake; each demo deletes the one before",
      "nightledger-demo",
    )
    .addHelpText("after", examples("nightledger demo"))
    .action(async ({ directory }: { readonly directory: string }) => {
      const { runDemo } = await import("../local/demo.js");
      end(await runDemo(terminal, directory));
    });
};
