import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { REPOSITORY } from "./command-process.js";

/** On what figures were measured: without it they say nothing. */
interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly os: string;
  readonly node: string;
  /** Mean of runnable processes over the last minute, when asked: what else there was to do. */
  readonly load: number;
  readonly packages: Readonly<Record<string, string>>;
}

const PACKAGES = ["@temporalio/worker", "@duckdb/node-api", "undici", "zod"];

/** Describes this machine and what the product runs on. */
export function describeMachine(): Machine {
  const processors = cpus();
  const { dependencies } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  return {
    cpu: processors[0]?.model ?? "unknown",
    cores: processors.length,
    memory_gb: Math.round(totalmem() / 1024 ** 3),
    os: `${type()} ${release()}`,
    node: process.version,
    load: loadavg()[0] ?? 0,
    packages: Object.fromEntries(PACKAGES.map((name) => [name, dependencies[name] ?? "unknown"])),
  };
}
