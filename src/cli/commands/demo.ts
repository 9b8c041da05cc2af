import type { AddCommand } from "./command.js";

export const demoCommand: AddCommand = (program, terminal, end) => {
  program
    .command("demo")
    .description("try it out: a stand-in service, two nightly syncs, and a look at the resulting lake")
    .option(
      "--directory <directory>",
      "where to keep the demo's lake; recreated each time",
      "nightledger-demo",
    )
    .action(async ({ directory }: { readonly directory: string }) => {
      const { runDemo } = await import("../local/demo.js");
      end(await runDemo(terminal, directory));
    });
};
