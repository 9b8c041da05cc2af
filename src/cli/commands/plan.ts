import { type AddCommand, examples } from "./command.js";

export const planCommand: AddCommand = (program, terminal, end) => {
  program
    .command("plan")
    .argument("<job...>", "the job's command line: sync --roster users.csv")
    .description("say what a job would do now: calls, time, what it skips and what is done; starts nothing")
    .option("--json", "print it as JSON; give it before the job")
    .addHelpText(
      "after",
      examples(
        "nightledger plan sync --roster users.csv",
        "nightledger plan export cip --roster users.csv --approver a@example.com",
      ),
    )
    .passThroughOptions()
    .allowUnknownOption()
    .action(async (words: string[], { json = false }: { readonly json?: boolean }) => {
      const { showPlan } = await import("../runs/plan/plan.js");
      end(await showPlan(terminal, words, json));
    });
};
