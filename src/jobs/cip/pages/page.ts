import type { SampleDraw } from "../../../domain/bulk/cip/sample.js";
import type { PackCounts } from "../../../lake/bulk/pack/manifest.js";
import type { PackFiles } from "../../../lake/bulk/pack/pack-files.js";
import { template } from "../../../pages/template.js";
import type { PackBusinesses } from "../businesses.js";
import type { ChangesSpool } from "../changes/changes-spool.js";
import type { ExceptionsSpool } from "../exceptions-spool.js";
import type { PackFacts } from "../facts.js";
import type { Overview } from "./overview.js";
import type { PeoplePages } from "./people-pages.js";
import { STYLES } from "./styles.js";

/** Everything that pages show of an export but the members themselves. */
export interface Shown {
  readonly files: PackFiles;
  readonly facts: PackFacts;
  readonly contentSha256: string;
  readonly counts: PackCounts;
  readonly overview: Overview;
  readonly exceptions: ExceptionsSpool;
  readonly changes: ChangesSpool;
  readonly sample: SampleDraw;
  /** Id of the pack before. */
  readonly previous: string | null;
  readonly pages: PeoplePages;
  /** Null for an export without businesses. */
  readonly businesses: PackBusinesses | null;
}

/** What every page repeats, so that a printed one says what it is of. */
export interface PageFrame {
  readonly exportId: string;
  /** Hash over the files of rows (docs/use/exports.md, "The hash on each page"). */
  readonly contentSha256: string;
  readonly title: string;
  /** Whose customers it shows, where the settings say. */
  readonly institution?: string | null | undefined;
  /** Whether it shows what is masked elsewhere. */
  readonly unmasked: boolean;
  /** Class of the page's main part. */
  readonly kind: string;
}

export type Out = (text: string) => Promise<void>;

// Three texts go into a style sheet, where HTML escapes have no effect: `frameOf` refuses or escapes any that could leave it.
const head = template(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="robots" content="noindex">
<title><%= it.title %> · <%= it.exportId %></title>
<style>${STYLES}
@page { size: A4; margin: 17mm 15mm 19mm;
  @bottom-left { content: "<%~ it.printedInstitution %><%~ it.printedId %>\\A content sha256 <%~ it.contentSha256 %>"; white-space: pre; font: 6.5pt/1.5 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; color: #4f5b69; }
  @bottom-right { content: "page " counter(page) " of " counter(pages); font: 8pt system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #4f5b69; }
}
</style>
</head>
<body>
<nav class="skip"><a href="#main">Skip to the contents</a></nav>
`);

const foot = template(`</main>
<footer>
<p><% if (it.institution) { %><bdi><%= it.institution %></bdi>. <% } %>Export <code><%= it.exportId %></code>. Content sha256 <code><%= it.contentSha256 %></code>: the hash over the pack's files of rows, which its manifest.json repeats. <code>sha256sum -c SHA256SUMS</code> in the pack's directory proves every file; <code>npx nightledger verify</code> proves the counts, the chain of packs and the signature too.</p>
<% if (it.unmasked) { %><p><strong>Unmasked: tax ids, birth dates, addresses and IP addresses are shown.</strong></p><% } %>
</footer>
</body>
</html>
`);

/** @throws where a text could leave the style sheet that prints it. */
function frameOf(frame: PageFrame): PageFrame & Readonly<Record<"printedId" | "printedInstitution", string>> {
  if (!/^[\w.-]+$/.test(frame.exportId) || !/^[0-9a-f]{64}$/.test(frame.contentSha256)) {
    throw new Error("an export's id and hash hold letters, digits, dots and dashes only");
  }
  const printedInstitution = frame.institution ? `${cssText(frame.institution)}\\A ` : "";
  const printedId = `CIP export ${frame.exportId}${frame.unmasked ? " — UNMASKED" : ""}`;
  return { ...frame, printedInstitution, printedId };
}

/** A text within a string of a style sheet: whatever is no letter, digit or space by its number. */
function cssText(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ]/gu, (one) => `\\${one.codePointAt(0)?.toString(16)} `);
}

/** The beginning of a page, up to what is above its main part. */
export function pageHead(frame: PageFrame): string {
  return head(frameOf(frame));
}

export function pageFoot(frame: PageFrame): string {
  return foot(frameOf(frame));
}

/** Writes one page: its head, what `top` makes above the main part, the main part that `write` writes, its foot. */
export async function writePage(
  { files, facts, contentSha256 }: Shown,
  path: string,
  page: Pick<PageFrame, "title" | "kind">,
  top: (frame: PageFrame) => string,
  write: (out: Out) => Promise<void>,
): Promise<void> {
  const { exportId, institution, unmasked } = facts;
  const frame = { ...page, exportId, institution, unmasked, contentSha256 };
  await files.write(path, async (out) => {
    await out(`${pageHead(frame)}${top(frame)}<main id="main" class="${page.kind}">\n`);
    await write(out);
    await out(pageFoot(frame));
    return undefined;
  });
}
