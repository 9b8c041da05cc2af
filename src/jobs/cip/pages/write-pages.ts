import { NOT_COVERED } from "../../../domain/bulk/cip/exceptions.js";
import { STRATA, type Stratum } from "../../../domain/bulk/cip/sample.js";
import type { PackCounts } from "../../../lake/bulk/pack/manifest.js";
import type { ChangeCounts, ListedChange } from "../changes/changes-spool.js";
import type { ListedException } from "../exceptions-spool.js";
import type { PackFacts } from "../facts.js";
import type { CipMember } from "../member.js";
import { judged } from "../member-lines.js";
import { ITEM_SEPARATOR } from "../rows.js";
import { chartsSection, type Overview } from "./overview.js";
import { type Out, pagePath, REPORT_PAGE, type Shown, writePage } from "./page.js";
import { personSection, personView } from "./person.js";
import {
  businessesPart,
  changesPart,
  exceptionsPart,
  pageList,
  pagerTop,
  sampleTop,
  summaryNumbers,
  summaryTop,
} from "./summary-template.js";
import { codeInWords, reasonInWords, withTimes } from "./values.js";
import { CHANGE_NAMES, fieldName, KIND_NAMES, STRATUM_NAMES } from "./words.js";

const EXCEPTIONS_PER_PAGE = 500;

/** Writes the list of exceptions: the first of them on the report itself, through `out`, the others on own pages. */
async function writeExceptions(shown: Shown, out: Out): Promise<void> {
  const total = [...shown.overview.exceptions.values()].reduce((sum, { rows }) => sum + rows, 0);
  const pages = Math.ceil(total / EXCEPTIONS_PER_PAGE);
  const tableOf = (rows: readonly ListedException[], from: string) =>
    exceptionsTable(rows, (position) => shown.pages.personHref(position, from));
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
  if (total === 0) await out(`<p class="none">No exceptions.</p>\n`);
  await shown.exceptions.read(async (batch) => {
    for (const row of batch) {
      rows.push(row);
      if (rows.length === EXCEPTIONS_PER_PAGE) await endPage();
    }
  });
  if (rows.length > 0) await endPage();
  if (pages > 1) {
    const others = Array.from({ length: pages - 1 }, (_, index) => index + 2);
    const links = others.map((one) => `<li><a href="${pagePath("exceptions", one)}">page ${one}</a></li>`);
    await out(
      `<p>The first ${EXCEPTIONS_PER_PAGE} of ${total} are shown; the others:</p><ol class="pages" start="2">${links.join("")}</ol>\n`,
    );
  }
  await out("</section>\n");
}

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
  const made = withTimes(`${facts.started_at} to ${facts.finished_at}`).html;
  await writePage(
    shown,
    REPORT_PAGE,
    { title: "CIP report", kind: "report" },
    (frame) => summaryTop({ ...frame, facts, previous, title, made }),
    async (out) => {
      await out(numbersPart(overview, counts, facts));
      await writeExceptions(shown, out);
      await out(chartsSection(overview, changes.counts, previous));
      await out(await gravestChanges(shown));
      if (shown.businesses !== null) await out(businessesPart(shown.businesses));
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

/** Fields that list sources. */
const SOURCE_LISTS = new Set(["date_of_birth_breakdown", "matched_addresses", "tax_id_breakdown"]);

/** The beginning of the report: headline numbers, completeness, exceptions by kind. */
function numbersPart(overview: Overview, counts: PackCounts, facts: PackFacts): string {
  const plain = (value: number, label: string) => ({ value, label, tone: "" });
  const bad = (value: number, label: string) => ({ value, label, tone: value > 0 ? "bad" : "" });
  const unknown = overview.holdUnknown > 0 ? `; of ${overview.holdUnknown} it is not known` : "";
  return summaryNumbers({
    counts,
    complete: counts.failed === 0,
    askedAgain: overview.askedAgain,
    populationSha256: facts.population.sha256,
    notCovered: NOT_COVERED.detail.replace(/^not covered here: /, ""),
    missing: overview.missing,
    numbers: [
      plain(counts.population, "people in the population"),
      bad(overview.onHold, `under a legal hold${unknown}`),
      plain(counts.exported, "exported"),
      bad(counts.failed, "without a report"),
      plain(counts.excluded, "excluded"),
      bad(overview.considered, "with a consider"),
      bad(overview.exceptions.get("missing")?.members ?? 0, "with something missing"),
      plain(overview.approvedBy.automatic, "approved automatically"),
      plain(overview.approvedBy.manual, "approved by a reviewer"),
    ],
    kinds: [...overview.exceptions].map(([kind, one]) => ({ name: KIND_NAMES[kind], ...one })),
  });
}

function exceptionsTable(rows: readonly ListedException[], hrefOf: (position: number) => string): string {
  return exceptionsPart({
    rows: rows.map((row) => ({
      ...row,
      ids: [row.external_id, row.name && row.fp_id].filter(Boolean).join(" · "),
      href: hrefOf(row.position),
      isConsider: row.kind === "consider",
      kind: KIND_NAMES[row.kind as keyof typeof KIND_NAMES],
      element: fieldName(row.element ?? ""),
      detail: row.kind === "consider" ? null : withTimes(reasonInWords(row.detail ?? "")).html,
      sources: row.sources?.split(" ").map(codeInWords).join(", "),
    })),
  });
}

/** The gravest changes since the pack before. */
function changesSection(
  rows: readonly ListedChange[],
  more: boolean,
  { screened_again: screenedAgain }: ChangeCounts,
  previous: string | null,
): string {
  const shown = rows.map((row) => ({
    ...row,
    grave: row.change === "clear_to_consider",
    who: row.external_id ?? row.fp_id,
    ids: row.external_id && row.fp_id,
    change: CHANGE_NAMES[row.change],
    field: row.field && fieldName(row.field),
    before: changedValue(row.field, row.before),
    after: changedValue(row.field, row.after),
  }));
  return changesPart({ previous, more, screenedAgain, rows: shown });
}

/** A value before or after a change, as the person's section shows it. */
function changedValue(field: string | null, value: string | null): string | null {
  if (value === null) return null;
  const hasCodes = SOURCE_LISTS.has(field ?? "") || field?.startsWith("self_reported_");
  const items = hasCodes ? value.split(ITEM_SEPARATOR).map(codeInWords) : [value];
  return withTimes(items.join(", ")).html;
}
