import type { CallFlags } from "../calls/request.js";
import { gathered } from "../terminal/cli-command.js";
import type { AddCommand } from "./command.js";

export const callCommand: AddCommand = (program, run) => {
  const command = program
    .command("call")
    .argument("[operation]", "name of the operation, such as get_user; --list shows all")
    .description("make one call to the service and show the response")
    .option(
      "--param <name=value>",
      "a parameter, header or body field; repeat it for each one and for each item of a list",
      gathered,
    )
    .option(
      "--body <file>",
      "file with the body: JSON, or bytes where the operation takes them; - is standard input",
    )
    .option("--for <fp_id>", "user to create a client token for, used by this call only (client operations)")
    .option("--output <file>", "write the response body to a file, unchanged")
    .option("--any-status", "accept any status as the response: behind a proxy it may be the target's")
    .option("--json", "print {status, headers, body} as JSON")
    .option("--list", "list the operations instead")
    .option("--show-secrets", "show tokens and personal values, which are hidden by default")
    // An operation's help loads the registry.
    .helpOption(false)
    .option("-h, --help", "display help for command, and for an operation where one is given");
  command.action(
    run(async () => {
      const { callHelp, runCall } = await import("../calls/command.js");
      return async (terminal, name: string | undefined, flags: CallFlags & { readonly help?: boolean }) => {
        if (!flags.help) return runCall(terminal, name, flags);
        let help = "";
        command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
        terminal.result(`${help}${callHelp(name)}`.trimEnd());
        return undefined;
      };
    }),
  );
};
