import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { constants, type FileHandle, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { InputError } from "../../domain/failures.js";
import { commandLine } from "../../domain/words/texts.js";

/**
 * A shell that ends the server once no process holds the other end of its pipe (descriptor 3). The kernel closes the
 * end of a killed process, so nothing outlives its users. Each line is the name of a new holder; the shell answers
 * with a file, and from then on it waits for that holder too. A pid that another program has by then is left alone.
 */
const SUPERVISE = `
exec 3<&0 </dev/null
supervise() {
  while IFS= read -r name <&3; do [ -z "$name" ] || true >"$name.seen"; done
  if [ -d /proc/self ]; then args=$(tr '\\0' ' ' <"/proc/$1/cmdline"); else args=$(ps -ww -o args= -p "$1"); fi
  case "$args" in *"$2"*) ;; *) exit ;; esac
  kill -TERM "$1" || exit
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 0.1
    kill -0 "$1" || exit
  done
  kill -KILL "$1"
} 2>/dev/null
`;

/** How long a supervisor may take to answer: longer than it takes to end a server. */
const ANSWER_MS = 4_000;
const ANSWER_POLL_MS = 10;

/** A command's end of the pipe to the supervisor of one server. */
export interface Hold {
  readonly pipe: string;
  isHeard(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Makes a pipe in HOME, with this process as its first holder; `reader` becomes a shell's
 * standard input, and the caller closes it then. `pipe`: one that has lost its reader.
 */
export async function openPipe(home: string, pipe = `server-${randomUUID().slice(0, 8)}.pipe`) {
  const path = join(home, pipe);
  if (!existsSync(path)) await makePipe(path);
  // A pipe opens for writing only once it has a reader, and for blocking reads only once it has a writer.
  const first = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const hold = holdOf(pipe, await open(path, constants.O_WRONLY | constants.O_NONBLOCK));
  const reader = await open(path, constants.O_RDONLY);
  await first.close();
  return { hold, reader };
}

async function makePipe(path: string): Promise<void> {
  await promisify(execFile)("mkfifo", ["-m", "600", path]).catch((error: Error) => {
    throw new InputError(
      `NIGHTLEDGER_HOME: no named pipe can be created in it (${error.message.trim()}). Nothing was started. ` +
        "Name a directory on a local file system, and make sure that `mkfifo` is on the PATH.",
      { cause: error },
    );
  });
}

/** The command line that runs a program with a supervisor beside it; the program has the shell's pid. */
export function supervised(program: string, args: readonly string[], database: string): [string, string[]] {
  const line = commandLine([program, ...args]);
  return ["/bin/sh", shell(`supervise $$ "$1" &\nexec ${line} 3<&-`, database)];
}

/** Starts a supervisor for a server that runs without one. */
export async function attachSupervisor(
  home: string,
  server: { readonly pid: number; readonly pipe?: string | undefined },
  database: string,
): Promise<Hold> {
  const { hold, reader } = await openPipe(home, server.pipe);
  try {
    const child = spawn("/bin/sh", shell(`supervise ${server.pid} "$1"`, database), {
      detached: true,
      stdio: [reader.fd, "ignore", "ignore"],
      env: { PATH: process.env.PATH },
      cwd: home,
    });
    child.on("error", () => undefined);
    child.unref();
    return hold;
  } finally {
    await reader.close();
  }
}

/**
 * Joins the holders of a server's pipe; undefined where it has no supervisor, or the supervisor does not answer: it is
 * ending the server already, or hangs.
 */
export async function joinPipe(
  home: string,
  pipe: string,
  isServerRunning: () => boolean,
): Promise<Hold | undefined> {
  // Fails where nobody reads.
  const path = join(home, pipe);
  const file = await open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  const hold = holdOf(pipe, file);
  const name = `server-${randomUUID().slice(0, 8)}`;
  const answer = join(home, `${name}.seen`);
  try {
    await file.write(`${name}\n`);
    for (const deadline = Date.now() + ANSWER_MS; Date.now() < deadline && isServerRunning(); ) {
      if (existsSync(answer)) return hold;
      await sleep(ANSWER_POLL_MS);
    }
  } catch {
    // Its reader has just gone.
  } finally {
    await rm(answer, { force: true });
  }
  await hold.release();
  return undefined;
}

/**
 * Whether a process holds a server's pipe: the kernel keeps count, also of those that were killed. Call it under
 * HOME's lock, because it reads what a command that joins has written.
 */
export async function isHeld(home: string, pipe: string): Promise<boolean> {
  const file = await open(join(home, pipe), constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return false;
  try {
    // What the supervisor has not read yet is no holder.
    while ((await file.read(Buffer.alloc(64))).bytesRead > 0);
    return false;
  } catch (error) {
    // Without a writer the pipe is at its end; with one that says nothing, a read would wait.
    return (error as NodeJS.ErrnoException).code === "EAGAIN";
  } finally {
    await file.close();
  }
}

/** Deletes the pipes of ended servers; a process that still holds one notices nothing. */
export async function removePipes(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (/^server-[0-9a-f]+\.(pipe|seen)$/.test(name)) await rm(join(home, name), { force: true });
  }
}

function holdOf(pipe: string, file: FileHandle): Hold {
  let released: Promise<void> | undefined;
  return {
    pipe,
    isHeard: () =>
      file.write("\n").then(
        () => true,
        () => false,
      ),
    release: () => {
      released ??= file.close();
      return released;
    },
  };
}

// The database is an argument, so that `serversOn` also finds a shell that is about to become the server.
function shell(line: string, database: string): string[] {
  return ["-c", `${SUPERVISE}${line}\n`, "nightledger-supervisor", database];
}
