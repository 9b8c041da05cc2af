import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findOnPath } from "../../temporal/cli/cli-cache.js";
import { runTool } from "../../temporal/cli/tool-process.js";

/** The names that are looked for on the path, in this order, unless the variable `CHROMIUM` is set. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const LONGEST_MS = 120_000;

export async function findChromium(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (env.CHROMIUM) return env.CHROMIUM;
  for (const name of NAMES) {
    const path = await findOnPath(name, env.PATH);
    if (path !== undefined) return path;
  }
  return undefined;
}

/**
 * Prints a page of a pack as PDF; the page loads nothing. The browser sees no settings of its user, has no network, and
 * is ended with all of its processes when it takes too long.
 *
 * @returns why there is no PDF; undefined where there is one.
 * @throws the signal's reason when aborted.
 */
export async function printPdf(
  chromium: string,
  page: string,
  pdf: string,
  {
    signal,
    longestMs = LONGEST_MS,
  }: { readonly signal?: AbortSignal | undefined; readonly longestMs?: number } = {},
): Promise<string | undefined> {
  const home = await mkdtemp(join(tmpdir(), "nightledger-print-"));
  try {
    const { failure } = await runTool({
      command: chromium,
      args: [
        "--headless",
        ...["--disable-gpu", "--disable-extensions", "--disable-sync", "--no-first-run"],
        ...["--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"],
        // Root can't use Chromium's own sandbox, as in a container.
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
        `--user-data-dir=${home}`,
        "--no-pdf-header-footer",
        `--print-to-pdf=${pdf}`,
        pathToFileURL(page).href,
      ],
      env: { HOME: home, PATH: process.env.PATH, LANG: process.env.LANG },
      timeoutMs: longestMs,
      signal,
    });
    const bytes = await stat(pdf).then(
      ({ size }) => size,
      () => 0,
    );
    if (failure === undefined && bytes > 0) return undefined;
    await rm(pdf, { force: true });
    return `${chromium} ${failure ?? "made no file"}`;
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
