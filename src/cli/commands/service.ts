import { type Command, InvalidArgumentError } from "commander";
import type { ServiceFlags } from "../local/service.js";
import type { AddCommand } from "./command.js";

export const serviceCommand: AddCommand = (program, terminal, end) => {
  const service = program
    .command("service")
    .description("keep schedules running: install `dev`, or `worker` with a cluster, as a system service");
  const withUnit = (command: Command) =>
    command
      .option("--user", "a service of this user instead of the whole machine")
      .option(
        "--name <name>",
        "name of the service (default: nightledger- and the name of this directory)",
        unitName,
      );
  withUnit(service.command("install"))
    .description("write and enable a systemd unit for this directory; on macOS, print a launchd plist")
    .option("--print", "print the unit without installing it")
    .action(async (flags: ServiceFlags) => {
      const { installService } = await import("../local/service.js");
      end(await installService(terminal, flags));
    });
  withUnit(service.command("status"))
    .description("show whether the service is installed and running; exit 1 if it is not")
    .action(async (flags: ServiceFlags) => {
      const { showService } = await import("../local/service.js");
      end(await showService(terminal, flags));
    });
  withUnit(service.command("uninstall"))
    .description("stop and remove the service; the lake and its schedules stay")
    .action(async (flags: ServiceFlags) => {
      const { uninstallService } = await import("../local/service.js");
      end(await uninstallService(terminal, flags));
    });
};

function unitName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(text))
    throw new InvalidArgumentError("accepted: letters, digits, dots, dashes and underscores.");
  return text;
}
