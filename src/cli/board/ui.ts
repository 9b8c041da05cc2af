import { isS3Address } from "../../domain/lake-address.js";
import { isLoopback } from "../../temporal/connection.js";
import type { ListenPlace } from "../../temporal/listen.js";
import { readLakeView } from "../session/preflight.js";
import { listedError } from "../terminal/exit-code.js";
import { aborted, withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";
import { type BoardServer, startBoard } from "./http/server.js";
import { PAGES } from "./pages/index.js";
import { pulseOf, readPage } from "./view.js";

const LOOK_EVERY_MS = 2_000;
/** A look at a bucket takes a few requests. */
const LOOK_AT_BUCKET_EVERY_MS = 15_000;

export async function serveBoard(terminal: Terminal, place: ListenPlace): Promise<void> {
  const lake = await readLakeView(terminal);
  await withInterruption(async ({ signal, releases }) => {
    const server = await openUi(terminal, lake.config.lake.address, place);
    releases.add(() => server.stop());
    terminal.say(`board     ${server.url}`);
    const readers = isLoopback(place.host)
      ? "every user of this machine"
      : `everybody who reaches port ${new URL(server.url).port} of ${place.host}`;
    terminal.say(`It has no login: ${readers} can read it. It changes nothing. Ctrl-C ends it.`);
    await aborted(signal);
  });
}

export function openUi(terminal: Terminal, lake: string, place: ListenPlace): Promise<BoardServer> {
  return startBoard({
    ...place,
    lake,
    read: (page, asked) => readPage(terminal, page, asked),
    pulse: () => pulseOf(terminal),
    pages: PAGES,
    lookEveryMs: isS3Address(lake) ? LOOK_AT_BUCKET_EVERY_MS : LOOK_EVERY_MS,
    failed: (error, path) =>
      terminal.say(`the board could not read ${path}: ${listedError(error).message.replaceAll("\n", "; ")}`),
  });
}
