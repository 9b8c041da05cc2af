import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { isS3Address } from "../../domain/lake-address.js";
import { isLoopback } from "../../temporal/connection.js";
import type { ListenPlace } from "../../temporal/listen.js";
import { readLakeView } from "../session/preflight.js";
import { listedError } from "../terminal/exit-code.js";
import { aborted, withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Door } from "./http/guard.js";
import { type BoardServer, startBoard } from "./http/server.js";
import { PAGES } from "./pages/index.js";
import { Steering } from "./steer.js";
import { pulseOf, readPage } from "./view.js";

const LOOK_EVERY_MS = 2_000;
/** Each look at a bucket is a few requests. */
const LOOK_AT_BUCKET_EVERY_MS = 15_000;

/** Serves the board until it is stopped. @throws InputError where it would be open to others without a password or a proxy */
export async function serveBoard(terminal: Terminal, place: ListenPlace): Promise<void> {
  const lake = await readLakeView(terminal);
  const door = doorOf(terminal, place);
  await withInterruption(async ({ signal, releases }) => {
    const server = await openUi(terminal, lake.config.lake.address, place, door);
    releases.add(() => server.stop());
    terminal.say(`board     ${server.entry}`);
    terminal.say("It shows what the commands show. Ctrl-C ends it.");
    await aborted(signal);
  });
}

/** Starts a board. @returns also the address to open, which holds the token where there is one */
export async function openUi(
  terminal: Terminal,
  lake: string,
  place: ListenPlace,
  door: Door = tokenDoor(),
): Promise<BoardServer & { readonly entry: string }> {
  const steering = new Steering(terminal);
  const server = await startBoard({
    steering,
    ...place,
    door,
    lake,
    read: (page, asked) => readPage(terminal, page, asked),
    pulse: () => pulseOf(terminal),
    pages: PAGES,
    lookEveryMs: isS3Address(lake) ? LOOK_AT_BUCKET_EVERY_MS : LOOK_EVERY_MS,
    failed: (error, path) =>
      terminal.say(`the board could not read ${path}: ${listedError(error).message.replaceAll("\n", "; ")}`),
  });
  const stop = async () => {
    await server.stop();
    await steering.stop();
  };
  return {
    ...server,
    stop,
    entry: door.kind === "token" ? `${server.url}/?token=${door.token}` : server.url,
  };
}

function doorOf(terminal: Terminal, { host }: ListenPlace): Door {
  const { board } = readConfig(terminal, ["board"]);
  const { password, header } = board;
  if (header !== undefined) return { kind: "header", header };
  if (password !== undefined) return { kind: "password", password };
  if (isLoopback(host)) return tokenDoor();
  throw new InputError(
    `--host ${host} opens the board to others. Set NIGHTLEDGER_UI_PASSWORD, or NIGHTLEDGER_UI_USER_HEADER to the header in which a proxy before it says who asks. Nothing was started.`,
  );
}

function tokenDoor(): Door {
  return { kind: "token", token: randomBytes(24).toString("base64url"), user: userInfo().username };
}
