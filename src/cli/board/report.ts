import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { InputError } from "../../domain/failures.js";
import { endedRuns } from "../../intake/runs/ended-runs.js";
import { runs } from "../../lake/tables/runs.js";
import { joined, type Markup, section } from "../../pages/parts.js";
import { existingLake } from "../lake/query.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { wholeFile } from "../terminal/whole-file.js";
import { reportPage } from "./layout.js";
import { type BoardView, findPage, type ReadPage } from "./page.js";
import { PAGES } from "./pages/index.js";
import { readPage, withBoardView } from "./view.js";

export interface ReportFlags {
  readonly run?: string;
  readonly last?: boolean;
  readonly days: number;
  readonly out: string;
  readonly json?: boolean;
}

/** Pages of a whole report, in order. */
const WHOLE = ["/", "/runs", "/links", "/onboarding", "/quarantine", "/schedules"];

/** Writes pages of the board as one file; the exit code. */
export async function showReport(terminal: Terminal, flags: ReportFlags): Promise<number> {
  if (flags.run !== undefined && flags.last)
    throw new InputError("--run and --last name a run each. Nothing was written. Give one of them.");
  const { address: lake } = await existingLake(terminal);
  const path = resolve(terminal.cwd, flags.out);
  if (!flags.json) await checkNoOther(path);
  const paths = await withBoardView(terminal, [runs], (view) => pathsOf(view, flags));
  const read: ReportedPage[] = [];
  for (const path of paths) {
    const found = findPage(PAGES, path, new URLSearchParams({ since: `${flags.days}d` }));
    if (found !== undefined) read.push({ ...(await readPage(terminal, found.page, found.asked)), path });
  }
  if (flags.json) {
    terminal.result(JSON.stringify(Object.fromEntries(read.map(({ path, model }) => [path, model]))));
    return EXIT.completed;
  }
  await writeReport(path, reportPage({ title: titleOf(read), lake, body: bodyOf(read) }));
  terminal.result(`report    ${path}`);
  return EXIT.completed;
}

type ReportedPage = ReadPage & { readonly path: string };

async function pathsOf({ query }: BoardView, { run, last }: ReportFlags): Promise<readonly string[]> {
  if (run === undefined && !last) return WHOLE;
  const id = run ?? (await endedRuns(query, {}, 1))[0]?.run_id;
  if (id === undefined) throw new InputError("nothing has run in this lake yet. Nothing was written.");
  return [`/runs/${encodeURIComponent(id)}`];
}

function titleOf([first, ...others]: readonly ReportedPage[]): string {
  return others.length === 0 ? (first?.title ?? "Report") : "Report";
}

/** One page as it is, several as sections. */
function bodyOf(read: readonly ReportedPage[]): Markup {
  const inner = ({ title, body }: ReportedPage) =>
    section(title, { html: nested(body.html, title.toLowerCase()) });
  const { html } = read.length === 1 && read[0] ? read[0].body : joined(...read.map(inner));
  // A file leads to no other page.
  const alone = html.replaceAll(/<(form|p) class="(?:filters|pager)".*?<\/\1>\n/gs, "");
  return { html: alone.replaceAll(/<a href="\/[^"]*">(.*?)<\/a>/gs, "$1") };
}

/** Moves headings down, and makes names unique. */
function nested(html: string, page: string): string {
  return html
    .replaceAll(/(<section aria-labelledby|<h2 id)="/g, `$1="${page}-`)
    .replaceAll(/<(\/?)h2\b/g, "<$1h3");
}

/** @throws InputError where there is a file that is no report */
async function checkNoOther(path: string): Promise<void> {
  const head = await text(createReadStream(path, { end: 1_000 })).catch(() => "");
  if (head === "" || head.includes(" · Nightledger</title>")) return;
  throw new InputError(
    `--out: ${path} is there and is no report. Nothing was written. Delete it, or name another file.`,
  );
}

/** Only its owner may read it. @throws InputError where it can't be written */
async function writeReport(path: string, page: string): Promise<void> {
  try {
    await wholeFile(path, (part) => writeFile(part, page, { mode: 0o600 }));
  } catch (error) {
    throw new InputError(
      `--out: ${path} can't be written (${(error as NodeJS.ErrnoException).code}). Name a file in a directory that exists and is yours.`,
    );
  }
}
