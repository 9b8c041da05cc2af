import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** A running `embedded-command.ts`. */
export interface CommandProcess {
  readonly pid: number;
  /** The address of the server it uses, once it has one; rejects when the command ends before. */
  readonly address: Promise<string>;
  /** Asks it to give the server back and waits for its end. */
  finish(): Promise<void>;
  /** `kill -9`, and waits for its end. */
  kill(): Promise<void>;
}

/** `embedded-command.ts` compiled with the repo's own compiler; `release` takes the files away. */
export interface CommandProgram {
  start(home: string, cliPath: string): CommandProcess;
  release(): Promise<void>;
}

/** Compiles the command into a place from which it finds the packages. */
export async function compileCommand(): Promise<CommandProgram> {
  const out = `${ROOT}node_modules/.cache/embedded-command-${process.pid}`;
  await mkdir(out, { recursive: true });
  const options = ["--ignoreConfig", "--target", "es2023", "--module", "nodenext", "--types", "node"];
  const target = [
    "--skipLibCheck",
    "--rootDir",
    ".",
    "--outDir",
    out,
    "test/temporal/server/embedded-command.ts",
  ];
  const compiler = `${ROOT}node_modules/typescript/bin/tsc`;
  await promisify(execFile)(process.execPath, [compiler, ...options, ...target], { cwd: ROOT });
  return {
    start: (home, cliPath) => {
      const script = `${out}/test/temporal/server/embedded-command.js`;
      return observe(
        spawn(process.execPath, [script, home, cliPath], { stdio: ["pipe", "pipe", "inherit"] }),
      );
    },
    release: () => rm(out, { recursive: true, force: true }),
  };
}

function observe(child: ChildProcess): CommandProcess {
  const exited = once(child, "exit");
  const address = new Promise<string>((resolve, reject) => {
    if (child.stdout === null) return;
    createInterface(child.stdout).on("line", (line) => {
      const step = JSON.parse(line);
      if (typeof step.address === "string") resolve(step.address);
    });
    exited.then(([code, signal]) => reject(new Error(`the command ended with ${signal ?? code}`)));
  });
  address.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    address,
    finish: async () => {
      child.stdin?.end();
      const [code] = await exited;
      if (code !== 0) throw new Error(`the command ended with ${code}`);
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
