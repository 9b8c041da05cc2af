import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { readDotEnv } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { type JobConfig, readJobConfig } from "../session/preflight.js";
import { showText } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";

const run = promisify(execFile);

interface ServiceFlags {
  readonly user?: boolean;
  readonly name?: string;
  readonly print?: boolean;
}

interface Unit {
  readonly name: string;
  readonly path: string;
  readonly user: boolean;
}

/** Installs `dev`, or `worker` with a cluster, as a service of this directory. Returns the exit code. */
export async function installService(terminal: Terminal, flags: ServiceFlags): Promise<number> {
  const { settings } = readServiceConfig(terminal);
  const process = processOf(terminal, settings.mode === "embedded" ? "dev" : "worker", flags.user === true);
  const name = flags.name ?? serviceName(terminal.cwd);
  if (/[/\\]_npx[/\\]/.test(process.program)) {
    throw new InputError(
      `${process.program} is npx's temporary copy, which npm may delete at any time. Nothing was installed. First install the package in ${terminal.cwd}: npm install nightledger`,
    );
  }
  if (globalThis.process.platform === "darwin") {
    terminal.result(launchdPlist(process, name));
    terminal.say(
      `save this as ~/Library/LaunchAgents/${name}.plist, then run: launchctl load -w ~/Library/LaunchAgents/${name}.plist`,
    );
    return EXIT.completed;
  }
  if (flags.print) {
    terminal.result(systemdUnit(process));
    return EXIT.completed;
  }
  const unit = unitOf(terminal, flags);
  await mkdir(dirname(unit.path), { recursive: true });
  await writeFile(unit.path, systemdUnit(process), { mode: 0o644 }).catch((error: NodeJS.ErrnoException) => {
    throw new InputError(
      `${unit.path} can't be written (${error.code}). Nothing was installed. Run this as root, or with --user.`,
    );
  });
  await systemctl(unit, "daemon-reload");
  await systemctl(unit, "enable", "--now", unit.name);
  terminal.say(
    `${unit.path} is installed: \`${process.command}\` is running now and will start again after a reboot`,
  );
  if (unit.user) await keepAfterLogout(terminal);
  return EXIT.completed;
}

/** Says whether the service of this directory is installed and runs. Returns exit code 1 where it does not. */
export async function showService(terminal: Terminal, flags: ServiceFlags): Promise<number> {
  const unit = unitOf(terminal, flags);
  if (!existsSync(unit.path)) {
    showText(terminal, `${unit.name} is not installed (${unit.path})`);
    return EXIT.failures;
  }
  const [enabled, active] = [await asked(unit, "is-enabled"), await asked(unit, "is-active")];
  showText(terminal, `${unit.name} is ${enabled}, ${active} (${unit.path})`);
  return active === "active" ? EXIT.completed : EXIT.failures;
}

/** Stops and removes the service of this directory; its lake and schedules stay. Returns the exit code. */
export async function uninstallService(terminal: Terminal, flags: ServiceFlags): Promise<number> {
  const unit = unitOf(terminal, flags);
  if (!existsSync(unit.path)) {
    throw new InputError(`${unit.name} is not installed: there is no ${unit.path}. Nothing was changed.`);
  }
  await systemctl(unit, "disable", "--now", unit.name);
  await rm(unit.path, { force: true });
  await systemctl(unit, "daemon-reload");
  terminal.say(`${unit.path} is removed; the lake and its schedules are unchanged`);
  return EXIT.completed;
}

/** Reads what a service will read: `.env`, and nothing that this shell exports. @throws InputError */
function readServiceConfig(terminal: Terminal): JobConfig {
  const { PATH, HOME } = terminal.env;
  const unseen = onlyInShell(terminal);
  const words = (names: readonly string[]) =>
    `${names.join(", ")}: exported in this shell, but missing or different in ${join(terminal.cwd, ".env")}, which is all that a service reads`;
  try {
    const config = readJobConfig({ ...terminal, env: { PATH, HOME } });
    if (unseen.length > 0) terminal.say(`warning: ${words(unseen)}; write there what it needs`);
    return config;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const named = unseen.filter((name) => error.message.includes(name));
    if (named.length === 0) throw error;
    throw new InputError(`${error.message}\n${words(named)}: write them there, then run this again`, {
      cause: error,
    });
  }
}

/** The settings that this shell exports and `.env` does not have, or has with another value. */
function onlyInShell({ cwd, env }: Terminal): string[] {
  const file = readDotEnv(cwd);
  const names = Object.keys(env).filter((name) => /^(NIGHTLEDGER|TEMPORAL)_/.test(name));
  return names.filter((name) => env[name]?.trim() && env[name] !== file[name]).sort();
}

function processOf({ cwd }: Terminal, command: string, user: boolean): ServiceProcess {
  const [node = "", program = ""] = globalThis.process.argv;
  return { node, program: resolve(program), command, directory: cwd, user };
}

function unitOf({ cwd, env }: Terminal, { user = false, name = serviceName(cwd) }: ServiceFlags): Unit {
  const config = env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), ".config");
  const directory = user ? join(config, "systemd", "user") : "/etc/systemd/system";
  return { name, path: join(directory, `${name}.service`), user };
}

async function systemctl({ user }: Unit, ...words: readonly string[]): Promise<void> {
  const args = [...(user ? ["--user"] : []), ...words];
  await run("systemctl", args).catch((error: { stderr?: string; message: string }) => {
    const why = (error.stderr || error.message).trim();
    throw new InputError(
      `systemctl ${args.join(" ")} failed: ${why}. Without systemd, keep the command running by other means; \`service install --print\` shows the unit.`,
    );
  });
}

/** Returns the word with which systemctl answers a question, whatever its exit code. */
async function asked({ user, name }: Unit, question: string): Promise<string> {
  const args = [...(user ? ["--user"] : []), question, name];
  const done = await run("systemctl", args).catch((error: { stdout?: string }) => error);
  return (done.stdout ?? "").trim() || "unknown";
}

/** Lets the user's services linger: without that they start with the first login and end with the last. */
async function keepAfterLogout(terminal: Terminal): Promise<void> {
  const { username } = userInfo();
  await run("loginctl", ["enable-linger", username]).catch(() => {
    terminal.say(`to keep it running while you are logged out: sudo loginctl enable-linger ${username}`);
  });
}

/** A long-running command that the machine's service manager keeps running. */
interface ServiceProcess {
  readonly node: string;
  readonly program: string;
  /** Words of the command: `dev`, or `worker` with a cluster. */
  readonly command: string;
  /** Where it runs: the directory with `.env`. */
  readonly directory: string;
  readonly user: boolean;
}

/** Long enough to stop a run in order, and the embedded server after it. */
const STOP_SECONDS = 60;

export function systemdUnit({ node, program, command, directory, user }: ServiceProcess): string {
  return `[Unit]
Description=Nightledger ${command} in ${escaped(directory)}
Wants=network-online.target
After=network-online.target

[Service]
WorkingDirectory=${escaped(directory)}
ExecStart=${[node, program, command].map(quoted).join(" ")}
Restart=always
RestartSec=5
KillMode=mixed
TimeoutStopSec=${STOP_SECONDS}

[Install]
WantedBy=${user ? "default" : "multi-user"}.target
`;
}

/** Writes the launchd property list of a service, for macOS, which has no systemd. */
export function launchdPlist({ node, program, command, directory }: ServiceProcess, label: string): string {
  const strings = [node, program, command].map((word) => `    <string>${xml(word)}</string>`).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${xml(label)}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>WorkingDirectory</key>
  <string>${xml(directory)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
</dict>
</plist>
`;
}

/** Names a service by its directory, so that two lakes on one machine are two services. */
export function serviceName(directory: string): string {
  const words = basename(directory).replaceAll(/[^A-Za-z0-9_.-]+/g, "-");
  return `nightledger-${words === "" ? "root" : words}`;
}

/** Quotes a word of `ExecStart`, and escapes what systemd would take for a specifier or a variable. */
function quoted(word: string): string {
  return `"${escaped(word).replaceAll(/["\\]/g, "\\$&").replaceAll("$", "$$$$")}"`;
}

function escaped(text: string): string {
  if (/[\0\n\r]/.test(text)) {
    throw new InputError(`${JSON.stringify(text)} can't be used in a systemd unit. Nothing was written.`);
  }
  return text.replaceAll("%", "%%");
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
