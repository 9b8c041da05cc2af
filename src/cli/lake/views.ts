import { resolve } from "node:path";
import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import { isS3Address } from "../../domain/lake-address.js";
import { writeViewFile } from "../../lake/query/lake-views.js";
import { TABLES } from "../../tables.js";
import { showText } from "../terminal/colours.js";
import type { Terminal } from "../terminal/terminal.js";
import { checkReplaceable, wholeFile } from "../terminal/whole-file.js";
import { lakeStore } from "./query.js";
import { LAKE_MEMORY_MB, withDuckDb } from "./reader.js";

interface ViewsFlags {
  readonly out: string;
  readonly force?: boolean;
}

/** Makes a DuckDB file of views. @throws InputError where the file exists, or the lake is in a bucket */
export async function runViews(terminal: Terminal, { out, force }: ViewsFlags): Promise<void> {
  const { lake } = readConfig(terminal, ["lake"]);
  if (isS3Address(lake.address))
    throw new InputError(
      `The lake ${lake.address} is in a bucket, and the views name local files. Nothing was written. Copy the lake ` +
        "to a directory first (docs/run/back-up.md), or read the bucket with DuckDB's own extension: docs/use/recipes.md.",
    );
  const store = await lakeStore(terminal);
  const path = resolve(terminal.cwd, out);
  await checkReplaceable(path, force);
  await wholeFile(path, (part) =>
    withDuckDb((duckdb) => writeViewFile(store, duckdb, TABLES, part), { memoryLimitMb: LAKE_MEMORY_MB }),
  );
  showText(
    terminal,
    `${path} has the lake's tables as views, as they are now; make it again after each sync`,
  );
}
