import { anchorOf } from "./person-view.js";

/** The page that a pack begins with. */
export const REPORT_PAGE = "report.html";
/** So many people are on one page with the report; of more, so many are on each page. */
const MOST_IN_ONE = 500;
const PER_PAGE = 200;

interface PeoplePage {
  readonly href: string;
  readonly first: string;
  readonly last: string;
  readonly people: number;
}

/** Which page a member's section is on. */
export class PeoplePages {
  readonly #pages: { first: string; last: string; people: number }[] = [];
  #people = 0;

  /** Takes the next member. */
  add(fpId: string): void {
    if (this.#people % PER_PAGE === 0) this.#pages.push({ first: fpId, last: fpId, people: 0 });
    const page = this.#pages[this.#pages.length - 1];
    if (page !== undefined) {
      page.last = fpId;
      page.people += 1;
    }
    this.#people += 1;
  }

  /** Whether all of them are on the report's own page. */
  get areOne(): boolean {
    return this.#people <= MOST_IN_ONE;
  }

  /** The pages of people, where they are many. */
  list(): PeoplePage[] {
    return this.#pages.map((page, index) => ({ ...page, href: pathOf(index) }));
  }
}

/** The link from one page of the pack to a member's section. */
export function personHref(pages: PeoplePages, position: number, from: string): string {
  const target = pages.areOne ? REPORT_PAGE : pathOf(Math.floor(position / PER_PAGE));
  const up = from.includes("/") ? "../" : "";
  return `${target === from ? "" : `${up}${target}`}#${anchorOf(position)}`;
}

function pathOf(page: number): string {
  return `report/people-${String(page + 1).padStart(3, "0")}.html`;
}
