import { findPage, type ReadPage } from "../../../src/cli/board/page.js";
import { PAGES } from "../../../src/cli/board/pages/index.js";
import { readPage as read } from "../../../src/cli/board/view.js";
import { terminalIn } from "../command/command-here.js";
import type { JobFolder } from "../command/job-folder.js";

/** Reads a page of the board as its server does. @param path with the filters behind `?` */
export function readPage<Model>(
  folder: Pick<JobFolder, "directory" | "env">,
  path: string,
): Promise<ReadPage & { readonly model: Model }> {
  const { pathname, searchParams } = new URL(path, "http://board");
  const found = findPage(PAGES, pathname, searchParams);
  if (found === undefined) throw new Error(`no page at ${path}`);
  const { terminal } = terminalIn(folder);
  return read(terminal, found.page, found.asked) as Promise<ReadPage & { readonly model: Model }>;
}
