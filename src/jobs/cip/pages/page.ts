import type { SampleDraw } from "../../../domain/bulk/cip/sample.js";
import type { PackCounts } from "../../../lake/bulk/pack/manifest.js";
import type { PackFiles } from "../../../lake/bulk/pack/pack-files.js";
import { bdi, code, html, type Markup, pageStart } from "../../../pages/parts.js";
import { BASE_STYLES } from "../../../pages/styles.js";
import type { ChangesSpool } from "../changes/changes-spool.js";
import type { ExceptionsSpool } from "../exceptions-spool.js";
import type { PackFacts } from "../facts.js";
import type { Overview } from "./overview.js";
import { anchorOf } from "./person.js";

/** The style sheet of a pack's pages. */
const STYLES = `${BASE_STYLES}
.top .facts div:last-child { grid-column: 1 / -1; }
.kicker .id { text-transform: none; }
.kicker { margin: 0; color: var(--quiet); letter-spacing: .08em; text-transform: uppercase; font-size: .75rem; font-weight: 600; }
table.listing { table-layout: fixed; } .listing th:nth-child(1) { width: 27%; } .listing th:nth-child(2) { width: 18%; } .listing th:nth-child(3) { width: 20%; }
.listing.changes th:nth-child(1) { width: 20%; } .listing.changes th:nth-child(2) { width: 17%; } .listing.changes th:nth-child(3) { width: 16%; }
.listing .verdict { white-space: normal; }
.headline.cip { grid-template-columns: repeat(5, 1fr); } .headline.cip li:first-child { grid-column: span 2; }
time { white-space: nowrap; }
.listing .ids { display: block; color: var(--quiet); font-size: .86em; }
.person { background: var(--paper); border: 1px solid var(--line); border-radius: 4px; padding: 1.1rem 1.25rem; margin: 0 0 1rem; }
.person .ids { margin: .1rem 0 0; color: var(--quiet); font-size: .9rem; }
.person .drawn { color: var(--quiet); font-size: .9rem; }
.exceptions { margin: .8rem 0 0; padding: .6rem .9rem .6rem 1.9rem; background: var(--bad); color: var(--bad-ink); border-radius: 4px; font-size: .9rem; }
.blocks { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem 1.5rem; margin-top: 1rem; }
.blocks th, .blocks td { padding: .2rem .6rem; }
.blocks td:first-of-type { width: 7rem; } .blocks tbody th { width: 15rem; }
.blocks .wide { grid-column: 1 / -1; }
.blocks dl { margin: 0; }
.blocks dl div { display: grid; grid-template-columns: 6.8rem 1fr; gap: .5rem; padding: .18rem 0; border-bottom: 1px dotted var(--line); font-size: .9rem; }
.blocks dt { color: var(--quiet); }
.blocks dd { margin: 0; }
.blocks .records { margin-bottom: 0; font-size: .9rem; }
.blocks ol { margin: .2rem 0 0; padding-left: 1.4rem; font-size: .9rem; }
.pages { columns: 2; column-gap: 2rem; padding-left: 1.3rem; }
@media (max-width: 46rem) { .headline.cip { grid-template-columns: 1fr 1fr; } .blocks { grid-template-columns: 1fr; } .pages { columns: 1; } }
@media print {
  .headline.cip { grid-template-columns: repeat(5, 1fr); }
  .blocks > section { break-inside: avoid; }
  .person { display: table; width: 100%; border: 0; border-top: 1px solid var(--ink); border-radius: 0; padding: 7pt 0 4pt; font-size: 8.5pt; }
  /* Repeated where a person goes on, so that no sheet is without a name. */
  .person > header { display: table-header-group; break-inside: avoid; } .person .chips { margin-bottom: 5pt; }
  .blocks { grid-template-columns: 1fr 1fr; gap: 6pt 12pt; margin-top: 6pt; } .blocks .later { order: 1; } .blocks dl div, .blocks p, .exceptions, .chip, .verdict { font-size: 8pt; padding-top: 0; padding-bottom: 0; }
  .blocks dl div { grid-template-columns: 92pt 1fr; } .blocks th, .blocks td { padding: 1pt 4pt; } .blocks tbody th { width: 160pt; } .blocks td:first-of-type { width: 56pt; }
  .exceptions { margin-top: 5pt; padding: 3pt 6pt 3pt 18pt; }
  .sample .person { break-before: page; border-top: 0; }
}
`;

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

export type Out = (part: Markup) => Promise<void>;

/**
 * The beginning of a page, up to what is above its main part. Three texts go into a style sheet, where HTML's escapes have
 * no effect.
 *
 * @throws where a text could leave the style sheet that prints it.
 */
export function pageHead({ exportId, contentSha256, title, institution, unmasked }: PageFrame): string {
  if (!/^[\w.-]+$/.test(exportId) || !/^[0-9a-f]{64}$/.test(contentSha256)) {
    throw new Error("an export's id and hash hold letters, digits, dots and dashes only");
  }
  const printedInstitution = institution ? `${cssText(institution)}\\A ` : "";
  const printedId = `CIP export ${exportId}${unmasked ? " — UNMASKED" : ""}`;
  const styles = `${STYLES}
@page { size: A4; margin: 17mm 15mm 19mm;
  @bottom-left { content: "${printedInstitution}${printedId}\\A content sha256 ${contentSha256}"; white-space: pre; font: 6.5pt/1.5 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; color: #4f5b69; }
  @bottom-right { content: "page " counter(page) " of " counter(pages); font: 8pt system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #4f5b69; }
}
`;
  const head = html`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="robots" content="noindex">
<style>${{ html: styles }}</style>
`;
  return pageStart(`${title} · ${exportId}`, head).html;
}

/** A text within a string of a style sheet: whatever is no letter, digit or space by its number. */
function cssText(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ]/gu, (one) => `\\${one.codePointAt(0)?.toString(16)} `);
}

export function pageFoot({ exportId, contentSha256, institution, unmasked }: PageFrame): string {
  const shows = "Unmasked: tax ids, birth dates, addresses and IP addresses are shown.";
  return html`</main>
<footer>
<p>${institution ? html`${bdi(institution)}. ` : null}Export ${code(exportId)}. Content sha256 ${code(contentSha256)}: the hash over the pack's files of rows, which its manifest.json repeats. <code>sha256sum -c SHA256SUMS</code> in the pack's directory proves every file; <code>npx nightledger verify</code> proves the counts, the chain of packs and the signature too.</p>
${unmasked ? html`<p><strong>${shows}</strong></p>\n` : null}</footer>
</body>
</html>
`.html;
}

/** Writes one page: its head, what `top` makes above the main part, the main part that `write` writes, its foot. */
export async function writePage(
  { files, facts, contentSha256 }: Shown,
  path: string,
  page: Pick<PageFrame, "title" | "kind">,
  top: (frame: PageFrame) => Markup,
  write: (out: Out) => Promise<void>,
): Promise<void> {
  const { exportId, institution, unmasked } = facts;
  const frame = { ...page, exportId, institution, unmasked, contentSha256 };
  await files.write(path, async (out) => {
    await out(`${pageHead(frame)}${top(frame).html}<main id="main" class="${page.kind}">\n`);
    await write((part) => out(part.html));
    await out(pageFoot(frame));
    return undefined;
  });
}

/** The page that a pack begins with. */
export const REPORT_PAGE = "report.html";
/** So many people are on one page with the report; of more, so many are on each page. */
const MOST_IN_ONE = 500;
const PER_PAGE = 200;

interface PeoplePage {
  readonly href: string;
  readonly first: string;
  last: string;
  people: number;
}

/** Which page a member's section is on. */
export class PeoplePages {
  /** The pages of people, where they are many. */
  readonly list: PeoplePage[] = [];
  #people = 0;

  add(fpId: string): void {
    const at = Math.floor(this.#people / PER_PAGE);
    this.#people += 1;
    const page = this.list[at] ?? { href: pagePath("people", at + 1), first: fpId, last: fpId, people: 0 };
    page.last = fpId;
    page.people += 1;
    this.list[at] = page;
  }

  /** Whether all of them are on the report's own page. */
  get areOne(): boolean {
    return this.#people <= MOST_IN_ONE;
  }

  /** The link from one page of the pack to the section of the member with this index. */
  personHref(position: number, from: string): string {
    const target = this.areOne ? REPORT_PAGE : pagePath("people", Math.floor(position / PER_PAGE) + 1);
    const up = from.includes("/") ? "../" : "";
    return `${target === from ? "" : `${up}${target}`}#${anchorOf(position)}`;
  }
}

/** The path of a numbered page beside the report. */
export function pagePath(name: string, page: number): string {
  return `report/${name}-${String(page).padStart(3, "0")}.html`;
}
