import { type Command, Help } from "commander";
import { examples } from "./command.js";

/** What each group of `--help` has; a test compares it with the commands. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Start here:": ["init", "demo", "check", "dev", "sandbox"],
  "Jobs:": "plan sync export reconcile import proxy vault onboard call".split(" "),
  "Watch and steer:": "status ui report runs schedule alerts quarantine explain".split(" "),
  "Lake:": [
    "tables",
    "query",
    "views",
    "verify",
    "maintain",
    "forget",
    "hold",
    "materialize",
    "rebind",
    "lake",
  ],
  "Set up:": ["worker", "service", "webhooks", "codec", "completion", "version"],
};

/** Lines to copy for commands that have none of their own; each is also in docs/reference/commands.md. */
const EXAMPLES: Readonly<Record<string, string>> = {
  dev: "nightledger dev",
  worker: "nightledger worker --drain",
  sandbox: "nightledger sandbox --roster-out users.csv",
  check: "nightledger check --roster users.csv",
  status: "nightledger status --stale 36h",
  sync: "nightledger sync --roster users.csv",
  materialize: "nightledger materialize",
  explain: "nightledger explain <transaction>",
  quarantine: "nightledger quarantine list --link <link>",
  "quarantine list": "nightledger quarantine list --link <link>",
  "quarantine resolve": 'nightledger quarantine resolve --reason "confirmed by the bank" --row <id>',
  hold: "nightledger hold list",
  "hold add": 'nightledger hold add fp_1 --reason "case 4711" --by legal@example.com',
  "hold remove": 'nightledger hold remove fp_1 --reason "case 4711 is closed" --by legal@example.com',
  "hold list": "nightledger hold list",
  export: "nightledger export transactions --from 2026-01-01 --to 2026-03-31 --out q1.csv",
  reconcile: "nightledger reconcile --roster users.csv",
  import: "nightledger import --transactions rows.csv",
  "import verify": "nightledger import verify --days 7",
  "import continue": "nightledger import continue",
  proxy: "nightledger proxy --config <id> --requests requests.csv",
  "proxy continue": "nightledger proxy continue",
  vault: "nightledger vault write --file values.csv",
  "vault continue": "nightledger vault continue",
  lake: "nightledger lake copy ./lake s3://ledger/tables",
  onboard: "nightledger onboard --customers customers.csv --playbook <key>",
  runs: "nightledger runs show <run>",
  "runs show": "nightledger runs show <run>",
  "runs watch": "nightledger runs watch <run>",
  "runs continue": "nightledger runs continue <run>",
  "runs cancel": "nightledger runs cancel <run>",
  "runs retry": "nightledger runs retry <run>",
  "runs pause": "nightledger runs pause <batch>",
  "runs resume": "nightledger runs resume <batch>",
  "runs links": "nightledger runs links continuations.jsonl",
  schedule: "nightledger schedule list",
  "schedule list": "nightledger schedule list",
  "schedule describe": "nightledger schedule describe nightly",
  "schedule pause": 'nightledger schedule pause nightly --reason "the bank is down"',
  "schedule unpause": "nightledger schedule unpause nightly",
  "schedule trigger": "nightledger schedule trigger nightly",
  "schedule delete": "nightledger schedule delete nightly",
  "schedule backfill":
    "nightledger schedule backfill nightly --from 2026-11-20T00:00:00Z --to 2026-11-22T00:00:00Z",
  alerts:
    "nightledger alerts check --max-age 36h --failed-links --notify-webhook https://hooks.example.com/x",
  service: "nightledger service status --user",
  "service install": "nightledger service install --user",
  "service status": "nightledger service status --user",
  "service uninstall": "nightledger service uninstall --user",
  webhooks: "nightledger webhooks listen",
  "webhooks serve": "nightledger webhooks serve --port 8788",
  "webhooks listen": "nightledger webhooks listen",
  "webhooks test": "nightledger webhooks test",
  codec: "nightledger codec serve --origin http://127.0.0.1:8080",
  call: "nightledger call --list",
  version: "nightledger version",
};

/** Puts the commands of the program into groups, and gives each an example. */
export function arrangeHelp(program: Command): void {
  const headings = Object.keys(GROUPS);
  const plain = new Help();
  program.commandsGroup("Set up:").helpCommand(true);
  program.configureHelp({
    groupItems(...given) {
      const groups = [...plain.groupItems(...given)];
      return new Map(groups.sort(([a], [b]) => headings.indexOf(a) - headings.indexOf(b)));
    },
  });
  for (const command of program.commands) {
    const heading = headings.find((one) => GROUPS[one]?.includes(command.name()));
    if (heading !== undefined) command.helpGroup(heading);
    for (const one of [command, ...command.commands]) {
      const words = one === command ? one.name() : `${command.name()} ${one.name()}`;
      const line = EXAMPLES[words];
      if (line !== undefined) one.addHelpText("after", examples(line));
    }
  }
}
