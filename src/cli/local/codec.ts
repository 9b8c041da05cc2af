import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { startCodecServer } from "../../temporal/codec-server.js";
import type { ListenPlace } from "../../temporal/listen.js";
import { readLakeView } from "../session/preflight.js";
import { aborted, withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

interface CodecFlags extends ListenPlace {
  readonly origin: readonly string[];
}

/** Runs a codec server until it is stopped. @throws InputError where keys or token are missing */
export async function serveCodec(terminal: Terminal, { host, port, origin }: CodecFlags): Promise<void> {
  const { codec } = readConfig(terminal, ["codec"]);
  const { keys } = await readLakeView(terminal);
  if (keys === undefined)
    throw new InputError(
      "NIGHTLEDGER_ENCRYPTION_KEYS: not set, and NIGHTLEDGER_HOME holds no keys. Nothing was started.",
    );
  const origins = origin.map(originOf);
  await withInterruption(async ({ signal, releases }) => {
    const server = await startCodecServer({ keys, host, port, token: codec.token, origins });
    releases.add(() => server.stop());
    terminal.say(`codec server  ${server.url}`);
    terminal.say("Whoever has its token can read what Temporal holds. Ctrl-C stops it.");
    await aborted(signal);
  });
}

/** As browsers send it, without a last slash. */
function originOf(address: string): string {
  if (URL.canParse(address)) return new URL(address).origin;
  throw new InputError(
    `--origin: ${address} is not an address. Accepted: that of the web UI, such as http://127.0.0.1:8080.`,
  );
}
