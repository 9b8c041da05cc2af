import { anchorOf } from "./person.js";

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
