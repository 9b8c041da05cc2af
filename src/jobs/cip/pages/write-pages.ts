import { STRATA, type Stratum } from "../../../domain/bulk/cip/sample.js";
import type { ListedChange } from "../changes/changes-spool.js";
import type { CipMember } from "../member.js";
import { judged } from "../member-lines.js";
import { ExceptionPages } from "./exception-pages.js";
import { mainPart } from "./page.js";
import { personSection } from "./person-template.js";
import { personView } from "./person-view.js";
import { changesShown, chartsPart, numbersPart } from "./summary.js";
import { pageList, pager, sampleTop, summaryTop } from "./summary-template.js";
import { STRATUM_NAMES } from "./words.js";
import { type Out, type Shown, writePage } from "./written-page.js";

const MOST_CHANGES = 200;

/** Writes `report.html` with what belongs to it, and `sample.html`: one more way through the members. */
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
    await writeReport(shown, (out) => out(pageList({ pages: shown.pages.list() })));
    await writePeople(shown, sections);
  }
  await writeSample(shown, drawn);
}

interface Drawn {
  readonly strata: readonly Stratum[];
  section: string;
  id: string;
}

/** Every member's section in turn; those of the sample are kept. */
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
  await writePage(shown, "report.html", { title: "CIP report", kind: "report" }, async (out, frame) => {
    await out(summaryTop({ ...frame, facts, previous, title: "Customer identification report" }));
    await out(mainPart(frame));
    await out(numbersPart(overview, counts, facts));
    await new ExceptionPages(shown, out).write();
    await out(chartsPart(overview, changes.counts, previous));
    await out(await gravestChanges(shown));
    await out(`<section aria-labelledby="people"><h2 id="people">People</h2>\n`);
    await people(out);
    await out("</section>\n");
  });
}

async function gravestChanges({ changes, previous }: Shown): Promise<string> {
  const first: ListedChange[] = [];
  let more = false;
  await changes.read(async (rows) => {
    const told = rows.filter(({ change }) => change !== "screened_again");
    more ||= first.length + told.length > MOST_CHANGES;
    first.push(...told.slice(0, MOST_CHANGES - first.length));
  });
  return changesShown(first, more, changes.counts, previous);
}

async function writePeople(shown: Shown, sections: AsyncGenerator<string>): Promise<void> {
  const list = shown.pages.list();
  for (const [index, { href, people }] of list.entries()) {
    const title = `People, page ${index + 1} of ${list.length}`;
    await writePage(shown, href, { title, kind: "people" }, async (out, frame) => {
      const near = (at: number) => list[at]?.href.replace("report/", "");
      await out(
        pager({ ...frame, title, up: "../report.html", before: near(index - 1), after: near(index + 1) }),
      );
      await out(`${mainPart(frame)}<h2 class="unseen">People</h2>\n`);
      for (let left = people; left > 0; left -= 1) await out((await sections.next()).value ?? "");
    });
  }
}

async function writeSample(shown: Shown, drawn: ReadonlyMap<string, Drawn>): Promise<void> {
  const people = [...drawn].map(([fpId, { strata, id }]) => ({ fpId, id, drawnBy: namesOf(strata) }));
  const strata = shown.sample.counts().map((one) => ({ ...one, name: STRATUM_NAMES[one.stratum] }));
  await writePage(
    shown,
    "sample.html",
    { title: "Examiner’s sample", kind: "sample" },
    async (out, frame) => {
      await out(sampleTop({ ...frame, seed: shown.facts.sample.seed, strata, people }));
      await out(mainPart(frame));
      for (const { section } of drawn.values()) await out(section);
    },
  );
}

function namesOf(strata: readonly Stratum[]): string {
  return STRATA.filter((one) => strata.includes(one))
    .map((one) => STRATUM_NAMES[one].toLowerCase())
    .join(", ");
}
