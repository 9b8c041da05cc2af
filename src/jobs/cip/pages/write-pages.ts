import { STRATA, type Stratum } from "../../../domain/bulk/cip/sample.js";
import { html, type Markup, paragraph } from "../../../pages/parts.js";
import type { ListedChange } from "../changes/changes-spool.js";
import type { ListedException } from "../exceptions-spool.js";
import type { CipMember } from "../member.js";
import { judged } from "../member-lines.js";
import { chartsSection } from "./overview.js";
import { type Out, type PageFrame, pagePath, REPORT_PAGE, type Shown, writePage } from "./page.js";
import { anchorOf, personSection } from "./person.js";
import {
  changesPart,
  type DrawnPerson,
  exceptionsTable,
  pageList,
  pagerTop,
  sampleTop,
  summaryNumbers,
  summaryTop,
} from "./summary.js";
import { STRATUM_NAMES } from "./words.js";

const EXCEPTIONS_PER_PAGE = 500;

/** Writes the list of exceptions: the first of them on the report itself, through `out`, the others on own pages. */
async function writeExceptions(shown: Shown, out: Out): Promise<void> {
  const total = [...shown.overview.exceptions.values()].reduce((sum, { rows }) => sum + rows, 0);
  const pages = Math.ceil(total / EXCEPTIONS_PER_PAGE);
  const tableOf = (rows: readonly ListedException[], from: string) =>
    exceptionsTable(rows, shown.pages, from);
  let page = 0;
  let rows: ListedException[] = [];
  const endPage = async () => {
    page += 1;
    const own = rows;
    rows = [];
    if (page === 1) return out(tableOf(own, REPORT_PAGE));
    const path = pagePath("exceptions", page);
    const title = `Exceptions, page ${page} of ${pages}`;
    const near = (other: number) => (other > 1 && other <= pages ? pagePath("exceptions", other) : undefined);
    const top = pagerTop("#exceptions", near(page - 1), near(page + 1));
    await writePage(shown, path, { title, kind: "list" }, top, (write) => write(tableOf(own, path)));
  };
  if (total === 0) await out(paragraph("No exceptions.", "none"));
  await shown.exceptions.read(async (batch) => {
    for (const row of batch) {
      rows.push(row);
      if (rows.length === EXCEPTIONS_PER_PAGE) await endPage();
    }
  });
  if (rows.length > 0) await endPage();
  if (pages > 1) {
    const others = Array.from({ length: pages - 1 }, (_, index) => index + 2);
    const links = others.map(
      (one) => html`<li><a href="${pagePath("exceptions", one)}">page ${one}</a></li>`,
    );
    const words = `The first ${EXCEPTIONS_PER_PAGE} of ${total} are shown; the others:`;
    await out(html`${paragraph(words)}<ol class="pages" start="2">${links}</ol>\n`);
  }
  await out(SECTION_END);
}

// The sections of exceptions and people are written in parts.
const SECTION_END: Markup = { html: "</section>\n" };
const MOST_CHANGES = 200;

/** Writes `report.html` with what belongs to it, and `sample.html`. Reads the members once more. */
export async function writePages(shown: Shown, members: AsyncIterable<CipMember>): Promise<void> {
  const drawn = new Map(
    shown.sample
      .people()
      .map(({ fpId, strata }) => [fpId, { fpId, id: "", drawnBy: namesOf(strata), section: html`` }]),
  );
  const sections = sectionsOf(shown, members, drawn);
  if (shown.pages.areOne) {
    await writeReport(shown, async (out) => {
      for await (const section of sections) await out(section);
    });
  } else {
    await writeReport(shown, (out) => out(pageList(shown.pages)));
    await writePeople(shown, sections);
  }
  await writeSample(shown, [...drawn.values()]);
}

type Drawn = { -readonly [Name in keyof DrawnPerson]: string } & { section: Markup };

/** Every member's section in turn; keeps those of the sample. */
async function* sectionsOf(
  shown: Shown,
  members: AsyncIterable<CipMember>,
  drawn: ReadonlyMap<string, Drawn>,
) {
  let position = 0;
  for await (const member of members) {
    const one = judged(member, shown.facts);
    const kept = drawn.get(member.fpId);
    if (kept !== undefined) {
      kept.section = personSection(one, position, kept.drawnBy);
      kept.id = anchorOf(position);
    }
    yield personSection(one, position);
    position += 1;
  }
}

async function writeReport(shown: Shown, people: (out: Out) => Promise<void>): Promise<void> {
  const { overview, previous, changes } = shown;
  await writePage(
    shown,
    REPORT_PAGE,
    { title: "CIP report", kind: "report" },
    (frame) => summaryTop(frame, shown),
    async (out) => {
      await out(summaryNumbers(shown));
      await writeExceptions(shown, out);
      await out({ html: chartsSection(overview, changes.counts, previous) });
      await out(await gravestChanges(shown));
      await out({ html: `<section aria-labelledby="people"><h2 id="people">People</h2>\n` });
      await people(out);
      await out(SECTION_END);
    },
  );
}

async function gravestChanges(shown: Shown): Promise<Markup> {
  const first: ListedChange[] = [];
  let more = false;
  await shown.changes.read(async (rows) => {
    const told = rows.filter(({ change }) => change !== "screened_again");
    more ||= first.length + told.length > MOST_CHANGES;
    first.push(...told.slice(0, MOST_CHANGES - first.length));
  });
  return changesPart(first, more, shown);
}

async function writePeople(shown: Shown, sections: AsyncGenerator<Markup>): Promise<void> {
  const { list } = shown.pages;
  for (const [index, { href, people }] of list.entries()) {
    const title = `People, page ${index + 1} of ${list.length}`;
    const top = pagerTop("", list[index - 1]?.href, list[index + 1]?.href);
    await writePage(shown, href, { title, kind: "people" }, top, async (out) => {
      await out(html`<h2 class="unseen">People</h2>\n`);
      for (let left = people; left > 0; left -= 1) await out((await sections.next()).value);
    });
  }
}

async function writeSample(shown: Shown, drawn: readonly Drawn[]): Promise<void> {
  const page = { title: "Examiner’s sample", kind: "sample" };
  const { sample, facts } = shown;
  const top = (frame: PageFrame) => sampleTop(frame, facts.sample.seed, sample, drawn);
  await writePage(shown, "sample.html", page, top, async (out) => {
    for (const { section } of drawn) await out(section);
  });
}

function namesOf(strata: readonly Stratum[]): string {
  return STRATA.filter((one) => strata.includes(one))
    .map((one) => STRATUM_NAMES[one].toLowerCase())
    .join(", ");
}
