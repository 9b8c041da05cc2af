import type { Command } from "commander";
import { KINDS } from "../../jobs/kinds/index.js";
import { onboardKind } from "./onboard.js";

/** Groups of `--help` in order; a test compares them with the commands. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Start here:": "init demo dev sandbox check".split(" "),
  "Jobs:": "sync export reconcile import vault onboard call".split(" "),
  "Watch and steer:": "status ui report explain quarantine runs schedule".split(" "),
  "Lake:": "materialize maintain forget hold rebind tables query views verify".split(" "),
  "Set up:": "worker version webhooks codec".split(" "),
};

/** Lines to copy; each is also in docs/reference/commands.md. */
const EXAMPLES: Readonly<Record<string, string | readonly string[]>> = {
  init: ["nightledger init", "nightledger init --url https://api.example.com --key-file key.txt"],
  sandbox: "nightledger sandbox --roster-out users.csv",
  "sandbox trigger": "nightledger sandbox trigger service.user.bank_link_updated",
  check: "nightledger check --roster users.csv",
  status: "nightledger status --stale 36h",
  ui: ["nightledger ui", "nightledger ui --port 0"],
  report: ["nightledger report", "nightledger report --last --out night.html"],
  sync: "nightledger sync --roster users.csv",
  maintain: "nightledger maintain --dry-run",
  quarantine: "nightledger quarantine list --link <link>",
  "quarantine list": "nightledger quarantine list --link <link>",
  "quarantine resolve": 'nightledger quarantine resolve --reason "confirmed by the bank" --row <id>',
  forget: 'nightledger forget fp_1 --reason "request of 5 May" --by privacy@example.com',
  hold: "nightledger hold list",
  "hold add": 'nightledger hold add fp_1 --reason "case 4711" --by legal@example.com',
  "hold remove": 'nightledger hold remove fp_1 --reason "case 4711 is closed" --by legal@example.com',
  export: "nightledger export transactions --from 2026-01-01 --to 2026-03-31 --out q1.csv",
  "export transactions": "nightledger export transactions --from 2026-01-01 --to 2026-03-31 --out q1.csv",
  "import verify": "nightledger import verify --days 7",
  vault: "nightledger vault write --file values.csv",
  rebind: "NIGHTLEDGER_API_URL=https://new.example.com nightledger rebind",
  runs: "nightledger runs show <run>",
  "runs list": "nightledger runs list --status failed --since 36h",
  "runs links": "nightledger runs links continuations.jsonl",
  schedule: "nightledger schedule list",
  "schedule create":
    "nightledger schedule create nightly --at 03:15 --timezone Europe/Prague -- sync --roster users.csv",
  "schedule describe": "nightledger schedule describe nightly",
  "schedule pause": 'nightledger schedule pause nightly --reason "the bank is down"',
  "schedule unpause": "nightledger schedule unpause nightly",
  "schedule trigger": "nightledger schedule trigger nightly",
  "schedule delete": "nightledger schedule delete nightly",
  "schedule backfill":
    "nightledger schedule backfill nightly --from 2026-11-20T00:00:00Z --to 2026-11-22T00:00:00Z",
  webhooks: "nightledger webhooks serve --port 8788",
  "webhooks serve": "nightledger webhooks serve --port 8788",
  codec: "nightledger codec serve --origin http://127.0.0.1:8080",
  "codec serve": "nightledger codec serve --origin http://127.0.0.1:8080",
  query: [
    'nightledger query "select * from link_freshness"',
    'nightledger query "from transactions" --output transactions.parquet',
  ],
  views: "nightledger views --out lake.duckdb",
  verify: [
    "nightledger verify",
    "nightledger verify --root <hash>",
    "nightledger verify lake/_exports/cip/<export> --public-key signer.pem",
  ],
  call: "nightledger call --list",
  ...Object.fromEntries([...KINDS, onboardKind].map(({ command, example }) => [command, example])),
};

/** None where name and arguments are not enough. */
function examplesOf(command: Command, words: string): readonly string[] {
  const known = EXAMPLES[words];
  if (known !== undefined) return [known].flat();
  if (command.commands.length > 0 || command.options.some(({ mandatory }) => mandatory)) return [];
  const { registeredArguments: given } = command;
  return [["nightledger", words, ...given.map((argument) => `<${argument.name()}>`)].join(" ")];
}

export function arrangeHelp(program: Command): void {
  const order = Object.values(GROUPS).flat();
  const placeOf = (command: Command) => order.indexOf(command.name());
  (program.commands as Command[]).sort((a, b) => placeOf(a) - placeOf(b));
  program.commandsGroup("Set up:").helpCommand(true);
  for (const command of program.commands) {
    const [heading] = Object.entries(GROUPS).find(([, names]) => names.includes(command.name())) ?? [];
    if (heading !== undefined) command.helpGroup(heading);
    for (const one of [command, ...command.commands]) {
      const words = one === command ? one.name() : `${command.name()} ${one.name()}`;
      const lines = examplesOf(one, words).map((line) => `\n  ${line}`);
      if (lines.length > 0)
        one.addHelpText("after", `\n${lines.length === 1 ? "Example" : "Examples"}:${lines.join("")}`);
    }
  }
}
