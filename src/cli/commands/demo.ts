import type { Command } from "commander";
import type { AddCommand } from "./command.js";

/** `nightledger demo` */
export const demoCommand: AddCommand = (program: Command, terminal, end) => {
  program
    .command("demo")
    .description("see it work: a stand-in service, two nights of syncs, and what is in the lake afterwards")
    .option("--directory <directory>", "where it keeps its lake; made anew each time", "nightledger-demo")
    .action(async ({ directory }: { readonly directory: string }) => {
      const { runDemo } = await import("../local/demo.js");
      end(await runDemo(terminal, directory));
    });
};
