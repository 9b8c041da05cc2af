import type { AddCommand } from "./command.js";
import { between, portNumber } from "./option-values.js";

export const boardCommands: AddCommand = (program, run) => {
  program
    .command("ui")
    .description("serve a page that shows what happened: runs, links, onboarding, tables, schedules")
    .option("--port <number>", "port to listen on; 0 picks a free one", portNumber, 8790)
    .option("--host <address>", "address to listen on; everybody who reaches it can read it", "127.0.0.1")
    .action(run(async () => (await import("../board/ui.js")).serveBoard));

  program
    .command("report")
    .description("write what the board shows into one file: offline, without scripts, to send or print")
    .option("--run <id>", "only this run")
    .option("--last", "only the newest run")
    .option("--days <n>", "how many days of runs", between(1, 3_650), 30)
    .option("--out <file>", "the file to write", "nightledger-report.html")
    .option("--json", "print the same as JSON, by the paths of the pages")
    .action(run(async () => (await import("../board/report.js")).showReport));
};
