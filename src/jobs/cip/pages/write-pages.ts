import { STRATA, type Stratum } from "../../../domain/bulk/cip/sample.js";
import type { ListedChange } from "../changes/changes-spool.js";
import type { CipMember } from "../member.js";
import { judged } from "../member-lines.js";
import { writeExceptions } from "./exception-pages.js";
import { chartsSection } from "./overview-charts.js";
import { type Out, type Shown, writePage } from "./page.js";
import { REPORT_PAGE } from "./people-pages.js";
import { personSection, personView } from "./person.js";
import { changesSection, numbersPart } from "./summary.js";
import { pageList, pagerTop, sampleTop, summaryTop } from "./summary-template.js";
import { STRATUM_NAMES } from "./words.js";

const MOST_CHANGES = 200;

/** Writes `report.html` with what belongs to it, and `sample.html`. Reads the members once more. */
export async function writePages(shown: Shown, members: AsyncIterable<CipMember>): Promise<void> {
  const drawn = new Map(
    shown.sample.people().map(({ fpId, strata }) => [fpId, { strata, section: "", id: "" }]),
  );
  const sections = sectionsOf(shown, members, drawn);
  if (shown.pages.areOne) {
    await writeReport(shown, async (out) => {
      for await (const section of sections) await out(section);
    });
  } else {
    await writeReport(shown, (out) => out(pageList({ pages: shown.pages.list })));
    await writePeople(shown, sections);
  }
  await writeSample(shown, drawn);
}

interface Drawn {
  readonly strata: readonly Stratum[];
  section: string;
  id: string;
}

/** Every member's section in turn; keeps those of the sample. */
async function* sectionsOf(
  shown: Shown,
  members: AsyncIterable<CipMember>,
  drawn: ReadonlyMap<string, Drawn>,
) {
  let position = 0;
  for await (const member of members) {
    const view = personView(judged(member, shown.facts), position);
    const kept = drawn.get(member.fpId);
    if (kept !== undefined) {
      kept.section = personSection(view, namesOf(kept.strata));
      kept.id = view.id;
    }
    position += 1;
    yield personSection(view);
  }
}

async function writeReport(shown: Shown, people: (out: Out) => Promise<void>): Promise<void> {
  const { facts, overview, counts, previous, changes } = shown;
  const title = "Customer identification report";
  await writePage(
    shown,
    REPORT_PAGE,
    { title: "CIP report", kind: "report" },
    (frame) => summaryTop({ ...frame, facts, previous, title }),
    async (out) => {
      await out(numbersPart(overview, counts, facts));
      await writeExceptions(shown, out);
      await out(chartsSection(overview, changes.counts, previous));
      await out(await gravestChanges(shown));
      await out(`<section aria-labelledby="people"><h2 id="people">People</h2>\n`);
      await people(out);
      await out("</section>\n");
    },
  );
}

async function gravestChanges({ changes, previous }: Shown): Promise<string> {
  const first: ListedChange[] = [];
  let more = false;
  await changes.read(async (rows) => {
    const told = rows.filter(({ change }) => change !== "screened_again");
    more ||= first.length + told.length > MOST_CHANGES;
    first.push(...told.slice(0, MOST_CHANGES - first.length));
  });
  return changesSection(first, more, changes.counts, previous);
}

async function writePeople(shown: Shown, sections: AsyncGenerator<string>): Promise<void> {
  const { list } = shown.pages;
  for (const [index, { href, people }] of list.entries()) {
    const title = `People, page ${index + 1} of ${list.length}`;
    const top = pagerTop("", list[index - 1]?.href, list[index + 1]?.href);
    await writePage(shown, href, { title, kind: "people" }, top, async (out) => {
      await out(`<h2 class="unseen">People</h2>\n`);
      for (let left = people; left > 0; left -= 1) await out((await sections.next()).value ?? "");
    });
  }
}

async function writeSample(shown: Shown, drawn: ReadonlyMap<string, Drawn>): Promise<void> {
  const title = "Examiner’s sample";
  const { seed } = shown.facts.sample;
  const people = [...drawn].map(([fpId, { strata, id }]) => ({ fpId, id, drawnBy: namesOf(strata) }));
  const strata = shown.sample.counts().map((one) => ({ ...one, name: STRATUM_NAMES[one.stratum] }));
  const top = (frame: object) => sampleTop({ ...frame, title, seed, strata, people });
  await writePage(shown, "sample.html", { title, kind: "sample" }, top, async (out) => {
    for (const { section } of drawn.values()) await out(section);
  });
}

function namesOf(strata: readonly Stratum[]): string {
  return STRATA.filter((one) => strata.includes(one))
    .map((one) => STRATUM_NAMES[one].toLowerCase())
    .join(", ");
}
