import { constants } from "node:fs";
import { access, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { runTool } from "../../temporal/cli/tool-process.js";

/** Where a Chromium is looked for, in this order, after the variable `CHROMIUM`. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const LONGEST_MS = 120_000;

/** The path of a Chromium; undefined where there is none. */
export async function findChromium(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const given = env.CHROMIUM;
  if (given !== undefined && given !== "") return given;
  for (const directory of (env.PATH ?? "").split(delimiter).filter((one) => one !== "")) {
    for (const name of NAMES) {
      const path = join(directory, name);
      if (await isProgram(path)) return path;
    }
  }
  return undefined;
}

/**
 * Prints a page of a pack, which loads nothing, as PDF. The browser sees no settings of its user, has no network, and
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
        // Chromium's own sandbox can't be made by root, as in a container.
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
    const there = await stat(pdf).then(
      ({ size }) => size > 0,
      () => false,
    );
    if (failure === undefined && there) return undefined;
    await rm(pdf, { force: true });
    return `${chromium} ${failure ?? "made no file"}`;
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
