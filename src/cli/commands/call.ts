import type { Command } from "commander";
import type { CallFlags } from "../calls/flags.js";
import type { AddCommand } from "./command.js";

/** `nightledger call` */
export const callCommand: AddCommand = (program: Command, terminal, end) => {
  const command = program
    .command("call")
    .argument("[operation]", "its name, such as get_user; --list shows all")
    .description("make one call of the service and show the answer")
    .option(
      "--param <name=value>",
      "a parameter, header option or body field; again for each, and for each item of a list",
      (text: string, before: string[] = []) => [...before, text],
    )
    .option("--body <file>", "the body: JSON, or bytes where the operation takes them; - is standard input")
    .option("--for <fp_id>", "user whose client token a client operation uses; made for this call alone")
    .option("--output <file>", "write the answer's body to a file, as it comes")
    .option("--any-status", "take any status as the answer: behind a proxy it may be the target's")
    .option("--json", "print {status, headers, body} on standard output")
    .option("--list", "list the operations instead")
    .option("--show-secrets", "show tokens and personal values that are hidden otherwise")
    .option("--durable", "make it as a run: it takes effect once, whatever is killed")
    .option("--request-id <id>", "with --durable: the same id joins the call or gives its kept answer")
    .option("--detach", "with --durable: start it and return; needs a Temporal cluster")
    // The help of one operation comes from the registry, which is loaded only when it is needed.
    .helpOption(false)
    .option("-h, --help", "display help for command, with an operation also for that");
  command.action(async (name: string | undefined, flags: CallFlags & { readonly help?: boolean }) => {
    if (flags.help) {
      const { callHelp } = await import("../calls/help.js");
      terminal.result(`${command.helpInformation()}${callHelp(name)}`.trimEnd());
      return;
    }
    const { runCall } = await import("../calls/run.js");
    end(await runCall(terminal, name, flags));
  });
};
