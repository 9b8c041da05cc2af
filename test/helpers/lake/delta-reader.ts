import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SCRIPT = fileURLToPath(new URL("./delta-reader.py", import.meta.url));
const LOCAL_PYTHON = fileURLToPath(new URL("../../../.venv/bin/python", import.meta.url));

interface SecondReading {
  readonly version: number;
  readonly files: readonly string[];
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly Readonly<Record<string, string | null>>[];
}

/**
 * A Python with `deltalake`, `polars` and `pyarrow`: NIGHTLEDGER_TEST_PYTHON, `.venv`, or the one on PATH. Undefined
 * where there is none; tests of the second reader then skip visibly.
 */
export function findDeltaPython(): string | undefined {
  const candidates = [process.env.NIGHTLEDGER_TEST_PYTHON, LOCAL_PYTHON, "python3"];
  return candidates.find((python) => {
    if (!python || (python.includes("/") && !existsSync(python))) return false;
    return spawnSync(python, ["-c", "import deltalake, polars, pyarrow"], { stdio: "ignore" }).status === 0;
  });
}

/** What `deltalake` and Polars see of a table; every value as Python prints it. */
export async function readWithPython(python: string, directory: string): Promise<SecondReading> {
  return JSON.parse(await runReader(python, "read", directory)) as SecondReading;
}

/** Writes what `deltalake` and Polars see of a table into a Parquet file; gives the filters by a column that find other rows. */
export async function copyWithPython(python: string, directory: string, path: string): Promise<string[]> {
  return JSON.parse(await runReader(python, "copy", directory, path)) as string[];
}

/** Compacts a table as another tool would, and writes that tool's checkpoint. */
export async function optimizeWithPython(python: string, directory: string) {
  const answer = await runReader(python, "optimize", directory);
  return JSON.parse(answer) as { version: number; removed: number };
}

async function runReader(python: string, command: string, ...paths: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(python, [SCRIPT, command, ...paths], { maxBuffer: 2 ** 28 });
  return stdout;
}
