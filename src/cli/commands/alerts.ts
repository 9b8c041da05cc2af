import type { Command } from "commander";
import { type AlertRules, isWebhookAddress } from "../../domain/alert-settings.js";
import { InputError } from "../../domain/failures.js";
import type { AddCommand, Schedulable } from "./command.js";
import { count, duration } from "./option-values.js";

interface AlertFlags {
  /** `false` where it is turned off. */
  readonly failedRun?: boolean;
  /** `true` where no number was given, `false` where it is turned off. */
  readonly anotherSubject?: number | boolean;
  readonly maxAge?: number;
  /** `true` where no number was given. */
  readonly failedLinks?: number | true;
  readonly openQuarantine?: number | true;
  readonly runMissing?: boolean;
  readonly runLongerThan?: number;
  readonly notifyCommand?: string;
  readonly notifyWebhook?: string;
  readonly json?: boolean;
}

function withAlertOptions(command: Command): Command {
  return command
    .option("--no-failed-run", "don't alert when the newest run of a schedule or kind ended failed")
    .option(
      "--another-subject [n]",
      "alert when more than n answers of the newest runs were about others (default: 0)",
      count,
    )
    .option("--no-another-subject", "don't alert of answers about others")
    .option(
      "--max-age <time>",
      "alert when the newest completed sync is older than this, such as 36h",
      duration,
    )
    .option(
      "--failed-links [n]",
      "alert when more than n bank links failed their last read (default: 0)",
      count,
    )
    .option("--open-quarantine [n]", "alert when more than n quarantined rows are open (default: 0)", count)
    .option("--run-missing", "alert when a schedule was due but no run started")
    .option("--run-longer-than <time>", "alert when a run takes longer than this, such as 2h", duration)
    .option(
      "--notify-command <command>",
      "run this command for each alert, with one JSON line on its standard input",
    )
    .option(
      "--notify-webhook <url>",
      "post each alert to this URL, for example a chat's incoming webhook",
      webhook,
    )
    .option("--json", "print the open alerts as JSON");
}

function webhook(text: string): string {
  if (isWebhookAddress(text)) return text;
  // Never quoted, as commander would: the address may be a secret.
  throw new InputError(
    "--notify-webhook is not accepted: give an http: or https: address without a user. Nothing was started.",
  );
}

function rulesOf({ anotherSubject, failedLinks, openQuarantine, ...flags }: AlertFlags): AlertRules {
  const given: AlertRules = {
    "failed-run": flags.failedRun === false ? false : undefined,
    "another-subject": anotherSubject === true ? 0 : anotherSubject,
    "max-age": flags.maxAge,
    "failed-links": failedLinks === true ? 0 : failedLinks,
    "open-quarantine": openQuarantine === true ? 0 : openQuarantine,
    "run-missing": flags.runMissing,
    "run-longer-than": flags.runLongerThan,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

export const alertsCommand: AddCommand = (program, run) => {
  const alerts = program.command("alerts").description("notify the person on call of each problem, once");
  const check = alerts
    .command("check")
    .description(
      "judge the alert rules now and send a message for each new alert; exit 1 if an alert is open",
    );
  withAlertOptions(check).action(
    run(async () => {
      const { checkNow } = await import("../alerts/check.js");
      const { scheduleFacts: schedules } = await import("../../intake/schedules/schedules.js");
      return (terminal, { notifyCommand: command, notifyWebhook: webhook, json, ...flags }: AlertFlags) =>
        checkNow(terminal, { rules: rulesOf(flags), targets: { command, webhook }, json, schedules });
    }),
  );
};

/** The same in a schedule; there the worker's own settings say whom to notify. */
export const scheduledCheck: Schedulable = {
  words: ["alerts", "check"],
  define: withAlertOptions,
  job: (flags: AlertFlags) => ({ kind: "alerts", options: rulesOf(flags) }),
};
