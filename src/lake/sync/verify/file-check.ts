import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { localFiles, missingFiles } from "../../delta/data-files.js";
import { SHA256_TAG } from "../../delta/delta-actions.js";
import { factsOf } from "../../delta/delta-stats.js";
import type { ReadTable } from "../../query/query-views.js";
import { fileSha256 } from "../../store/file-sha256.js";
import type { Problem } from "../chain-check.js";

const FILES_AT_ONCE = 2;

interface CheckedFiles {
  readonly problems: readonly Problem[];
  /** Whether a file is missing or cut short, so that SQL can't read the table. */
  readonly isIncomplete: boolean;
  /** Files that another tool wrote: the log has no sha256 of them. */
  readonly unhashed: number;
}

/**
 * Reads every byte of a table's files, and names those that are not the ones that the table's log says.
 *
 * @param quick looks at their sizes alone
 */
export async function checkFiles({ location, snapshot }: ReadTable, quick = false): Promise<CheckedFiles> {
  const files = [...snapshot.files.values()];
  const missing = new Set(await missingFiles(location, files));
  const hashed = files.filter(({ tags }) => tags?.[SHA256_TAG] !== undefined);
  const changed = await mapConcurrent(FILES_AT_ONCE, quick ? [] : hashed, async (file) => {
    if (missing.has(file)) return [];
    const [path = ""] = await localFiles(location, [file]);
    return (await fileSha256(path)) === file.tags?.[SHA256_TAG] ? [] : [file];
  });
  const problems = [...missing, ...changed.flat()].map((file): Problem => {
    const { table } = location;
    const { links } = factsOf(file);
    const fault = missing.has(file)
      ? `is missing, or does not have ${file.size} bytes`
      : "was changed: its sha256 is not the one in the table's log";
    const whose = links === undefined ? "" : `; it holds rows of the links from ${links[0]} to ${links[1]}`;
    const what = `the file ${table}/${file.path} ${fault}${whose}`;
    return { table, link_id: links?.[0] ?? null, run_id: null, what };
  });
  return { problems, isIncomplete: missing.size > 0, unhashed: files.length - hashed.length };
}
