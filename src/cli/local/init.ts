import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { parseEnv } from "node:util";
import { givenAs, readConfig } from "../../config.js";
import { VARIABLES, type VariableName } from "../../config-values.js";
import { InputError } from "../../domain/failures.js";
import { EXIT } from "../terminal/exit-code.js";
import { type Ask, canAsk, questionsOn } from "../terminal/questions.js";
import { programWords, type Terminal } from "../terminal/terminal.js";
import { wholeFile } from "../terminal/whole-file.js";
import { runCheck } from "./check.js";

interface InitFlags {
  readonly url?: string;
  /** `-` is standard input. */
  readonly keyFile?: string;
  readonly lake?: string;
  readonly force?: boolean;
}

const DEFAULT_LAKE = "./lake";
const SETTINGS = `# Whose customers these are: headline and footer of CIP packs.
# institution: Example Bank

# Who is told of runs that end: docs/run/hooks.md.
# hooks:
#   - on: [failed, recovered]
#     webhook: https://hooks.example.com/x
`;

/** Writes `.env` and `nightledger.yaml`, and checks them; the exit code. @throws InputError */
export async function runInit(terminal: Terminal, flags: InitFlags): Promise<number> {
  const path = join(terminal.cwd, ".env");
  const before = await readFile(path, "utf8").catch(() => undefined);
  if (before !== undefined && !flags.force) {
    throw new InputError(`${path} is there already. Nothing was written. --force changes its settings.`);
  }
  const values = await asked(terminal, flags);
  // Before anything is written.
  const { url, lake } = flags;
  givenAs({ NIGHTLEDGER_API_URL: url && "--url", NIGHTLEDGER_LAKE: lake && "--lake" }, () =>
    readConfig({ ...terminal, env: { ...terminal.env, ...values } }, ["api", "lake"]),
  );
  const lines = Object.entries(values).map(([name, value]) => {
    const line = envLine(name, value);
    // It may be secret, so the message does not quote it.
    if (line === undefined) throw new InputError(`${name}: ${NO_LINE} Nothing was written.`);
    return line;
  });
  const own = new RegExp(`^\\s*(?:export\\s+)?(?:${Object.keys(values).join("|")})\\s*=`);
  const kept = (before ?? "").split("\n").filter((line) => !own.test(line));
  const text = `${[...lines, ...kept].join("\n").trimEnd()}\n`;
  await wholeFile(path, (part) => writeFile(part, text, { mode: 0o600 }));
  terminal.say(`wrote ${path}, readable by you alone; never commit it`);
  await writeSettings(terminal);
  for (const name of Object.keys(values)) {
    if (terminal.env[name]) terminal.say(`warning: ${name} is set in the environment, which wins over .env`);
  }
  const code = await runCheck(terminal, {});
  terminal.say(
    code === EXIT.completed ? "next, with a CSV file of your users (fp_id):" : "then, once it is right:",
  );
  const program = programWords(terminal).join(" ");
  terminal.say(`  ${program} ${code === EXIT.completed ? "sync --roster users.csv" : "check"}`);
  if (code !== EXIT.completed) terminal.say(`to answer again: ${program} init --force, or change ${path}`);
  return code;
}

async function writeSettings(terminal: Terminal): Promise<void> {
  const path = join(terminal.cwd, "nightledger.yaml");
  try {
    await writeFile(path, SETTINGS, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return;
  }
  terminal.say(`wrote ${path}`);
}

async function asked(terminal: Terminal, flags: InitFlags): Promise<Readonly<Record<string, string>>> {
  if (!canAsk(terminal)) return answersTo(terminal, flags);
  const { ask, close } = questionsOn(process.stdin, process.stderr, "Nothing was written.");
  try {
    return await answersTo(terminal, flags, ask);
  } finally {
    close();
  }
}

/** @param asks left out without a terminal */
async function answersTo(
  terminal: Terminal,
  flags: InitFlags,
  asks?: Ask,
): Promise<Readonly<Record<string, string>>> {
  const ask: Ask = (...question) => {
    if (asks !== undefined) return asks(...question);
    throw new InputError("Nobody can be asked here. Nothing was written. Give --url and --key-file.");
  };
  const right = (name: VariableName, ...question: Parameters<Ask>) =>
    rightAnswer(name, () => ask(...question), terminal.say);
  const url = flags.url ?? (await right("NIGHTLEDGER_API_URL", "address of the service: "));
  const key =
    flags.keyFile === undefined
      ? await right("NIGHTLEDGER_API_KEY", "its secret key (not shown): ", true)
      : await keyOf(flags.keyFile);
  const place = `the lake, a directory or s3://bucket/prefix [${DEFAULT_LAKE}]: `;
  const lake = flags.lake ?? (asks ? await right("NIGHTLEDGER_LAKE", place) : "");
  return {
    NIGHTLEDGER_API_URL: url.trim(),
    NIGHTLEDGER_API_KEY: key.trim(),
    NIGHTLEDGER_LAKE: lake.trim() || DEFAULT_LAKE,
  };
}

/** Asks until the answer is a valid value of the variable. */
export async function rightAnswer(
  name: VariableName,
  ask: () => Promise<string>,
  say: (line: string) => void,
): Promise<string> {
  for (;;) {
    const given = (await ask()).trim();
    const { value, accepted } = VARIABLES[name];
    const { error } = value.safeParse(given === "" ? undefined : given);
    if (error !== undefined) say(`it ${error.issues[0]?.message}. Give ${accepted}`);
    else if (envLine(name, given) === undefined) say(NO_LINE);
    else return given;
  }
}

async function keyOf(file: string): Promise<string> {
  if (file === "-") return textOf(process.stdin);
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new InputError(`--key-file: ${file} can't be read (${error.code}). Nothing was written.`);
  });
}

const NO_LINE = ".env can't hold a value with line breaks or quotes.";

/** Undefined for a value that `.env` can't hold. */
function envLine(name: string, value: string): string | undefined {
  const line = /^[\w./:@%+=,~-]+$/.test(value) ? `${name}=${value}` : `${name}='${value}'`;
  return parseEnv(line)[name] === value ? line : undefined;
}
