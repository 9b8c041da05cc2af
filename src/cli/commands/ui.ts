import type { ListenPlace } from "../../temporal/listen.js";
import { type AddCommand, examples } from "./command.js";
import { portNumber } from "./option-values.js";

export const uiCommand: AddCommand = (program, terminal) => {
  program
    .command("ui")
    .description("serve a page that shows what happened: runs, links, onboarding, tables, schedules")
    .option("--port <number>", "port to listen on; 0 picks a free one", portNumber, 8790)
    .option(
      "--host <address>",
      "address to listen on; others than this machine's own need a password or a proxy",
      "127.0.0.1",
    )
    .addHelpText("after", examples("nightledger ui", "nightledger ui --port 0"))
    .action(async (flags: ListenPlace) => {
      const { serveBoard } = await import("../board/ui.js");
      await serveBoard(terminal, flags);
    });
};
