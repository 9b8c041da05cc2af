import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { InputError } from "../../domain/failures.js";
import { commandLine } from "../../domain/words/texts.js";
import { lakeAt } from "../../lake/lake.js";
import { appendOnce } from "../../lake/tables/append.js";
import { writeRows } from "../../lake/tables/parquet-file.js";
import { steering } from "../../lake/tables/steering.js";
import { existingLake } from "../lake/query.js";
import type { Terminal } from "../terminal/terminal.js";

const PROGRAM = fileURLToPath(new URL("../../../../bin/nightledger.js", import.meta.url));
/** By then a command that does not follow a run has ended. */
const ANSWER_MS = 15_000;
const MOST_SAID = 8_000;

export interface SteeredCommand {
  readonly command: string;
  /** Null where it has not ended yet. */
  readonly code: number | null;
  readonly said: string;
}

/** Runs commands for the board, each as a process of its own, and records who asked for them. */
export class Steering {
  readonly #children = new Set<ChildProcess>();
  #isOver = false;

  constructor(private readonly terminal: Terminal) {}

  /** Records who gives a command and why, then runs it. @param words of the command, without `nightledger` */
  async run(words: readonly string[], user: string, reason: string): Promise<SteeredCommand> {
    const command = commandLine(["nightledger", ...words]);
    await this.#record({ requested_by: user, command, reason });
    if (this.#isOver) throw new InputError("the board is ending. Nothing was done.");
    const { env, cwd } = this.terminal;
    const child = spawn(process.execPath, [PROGRAM, ...words], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.add(child);
    const closed = once(child, "close").finally(() => this.#children.delete(child));
    closed.catch(() => undefined);
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said = `${said}${text}`.slice(-MOST_SAID);
      });
    await Promise.race([closed, sleep(ANSWER_MS, undefined, { ref: false })]);
    const killed = child.signalCode === null ? null : 128 + constants.signals[child.signalCode];
    return { command, code: child.exitCode ?? killed, said };
  }

  /** Ends the commands that still follow a run, as Ctrl-C does. */
  async stop(): Promise<void> {
    this.#isOver = true;
    const ending = [...this.#children].map(async (child) => {
      const closed = once(child, "close");
      child.kill("SIGTERM");
      await closed;
    });
    await Promise.all(ending);
  }

  async #record(row: { readonly requested_by: string; readonly command: string; readonly reason: string }) {
    const lake = lakeAt(await existingLake(this.terminal));
    try {
      const id = `board-${randomUUID()}`;
      const rows = [{ requested_at: new Date().toISOString(), ...row }];
      await appendOnce(lake, steering, id, () => writeRows(lake, steering, id, rows));
    } finally {
      await lake.close();
    }
  }
}
