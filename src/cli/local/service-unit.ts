import { basename } from "node:path";
import { InputError } from "../../domain/failures.js";

/** A long-running command that the machine's service manager keeps running. */
export interface ServiceProcess {
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
