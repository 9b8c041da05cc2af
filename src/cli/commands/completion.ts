import { Argument } from "commander";
import { completionScript, SHELLS } from "../terminal/completion.js";
import { type AddCommand, examples } from "./command.js";

export const completionCommand: AddCommand = (program, terminal) => {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .description("print a script that completes commands and flags in a shell")
    .addHelpText(
      "after",
      examples(
        'eval "$(nightledger completion bash)"',
        "nightledger completion zsh > ~/.nightledger-completion.zsh",
        "nightledger completion fish > ~/.config/fish/completions/nightledger.fish",
      ),
    )
    .action((shell: (typeof SHELLS)[number]) => terminal.result(completionScript(program, shell)));
};
