import { type Command, InvalidArgumentError } from "commander";
import type { ServiceFlags } from "../local/service.js";
import type { AddCommand } from "./command.js";

/** `nightledger service` */
export const serviceCommand: AddCommand = (program: Command, terminal, end) => {
  const service = program
    .command("service")
    .description("keep schedules firing: run `dev`, or `worker` with a cluster, as a service of the machine");
  const withUnit = (command: Command) =>
    command
      .option("--user", "a service of this user, in place of one of the machine")
      .option("--name <name>", "its name (default: nightledger- and the name of this directory)", unitName);
  withUnit(service.command("install"))
    .description("write and enable a systemd unit for this directory; on macOS, print a launchd plist")
    .option("--print", "print the unit and install nothing")
    .action(async (flags: ServiceFlags) => {
      const { installService } = await import("../local/service.js");
      end(await installService(terminal, flags));
    });
  withUnit(service.command("status"))
    .description("say whether the service is there and runs; exit 1 where it does not")
    .action(async (flags: ServiceFlags) => {
      const { showService } = await import("../local/service.js");
      end(await showService(terminal, flags));
    });
  withUnit(service.command("uninstall"))
    .description("stop the service and take it away; the lake and its schedules stay")
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
