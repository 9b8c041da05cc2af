import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface CommandProcess {
  readonly pid: number;
  /** The address of the server it uses, once it has one; rejects when the command ends before. */
  readonly address: Promise<string>;
  /** Asks it to give the server back and waits for its end. */
  finish(): Promise<void>;
  /** `kill -9`, and waits for its end. */
  kill(): Promise<void>;
}

/** Starts `embedded-command.ts`, as it was compiled; `within` is a command line that runs it elsewhere. */
export function startEmbeddedCommand(
  script: string,
  home: string,
  cliPath: string,
  within: readonly string[] = [],
): CommandProcess {
  const [program = "", ...args] = [...within, process.execPath, script, home, cliPath];
  return observe(spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] }));
}

function observe(child: ChildProcess): CommandProcess {
  const exited = once(child, "exit");
  const address = new Promise<string>((resolve, reject) => {
    if (child.stdout === null) return;
    createInterface(child.stdout).on("line", (line) => {
      const step = JSON.parse(line);
      if (typeof step.address === "string") resolve(step.address);
      if (typeof step.error === "string") reject(new Error(step.error));
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
