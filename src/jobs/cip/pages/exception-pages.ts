import type { ListedException } from "../exceptions-spool.js";
import { mainPart } from "./page.js";
import { personHref, REPORT_PAGE } from "./people-pages.js";
import { exceptionsPart } from "./summary.js";
import { EXCEPTIONS_OPEN, pager, TABLE_CLOSE } from "./summary-template.js";
import { type Out, type Shown, writePage } from "./written-page.js";

const PER_PAGE = 500;

/** The list of exceptions: the first of them on the report itself, the others on pages of their own. */
export class ExceptionPages {
  readonly #total: number;
  #rows: ListedException[] = [];
  #page = 1;

  /** @param out writes to the report */
  constructor(
    private readonly shown: Shown,
    private readonly out: Out,
  ) {
    this.#total = [...shown.overview.exceptions.values()].reduce((sum, { rows }) => sum + rows, 0);
  }

  async write(): Promise<void> {
    if (this.#total === 0) await this.out(`<p class="none">No exceptions.</p>\n`);
    await this.shown.exceptions.read(async (batch) => {
      for (const row of batch) {
        this.#rows.push(row);
        if (this.#rows.length === PER_PAGE) await this.#end();
      }
    });
    if (this.#rows.length > 0) await this.#end();
    if (this.#page > 2) await this.out(this.#others());
    await this.out("</section>\n");
  }

  async #end(): Promise<void> {
    const page = this.#page;
    const rows = this.#rows;
    this.#rows = [];
    this.#page += 1;
    if (page === 1) return this.out(this.#table(rows, REPORT_PAGE));
    const path = pathOf(page);
    const title = `Exceptions, page ${page} of ${Math.ceil(this.#total / PER_PAGE)}`;
    await writePage(this.shown, path, { title, kind: "list" }, async (out, frame) => {
      const near = (other: number) =>
        other > 1 && (other - 1) * PER_PAGE < this.#total ? pathOf(other).replace("report/", "") : undefined;
      const links = { up: `../${REPORT_PAGE}#exceptions`, before: near(page - 1), after: near(page + 1) };
      await out(pager({ ...frame, title, ...links }));
      await out(mainPart(frame));
      await out(this.#table(rows, path));
    });
  }

  #table(rows: readonly ListedException[], from: string): string {
    const list = exceptionsPart(rows, (position) => personHref(this.shown.pages, position, from));
    return `${EXCEPTIONS_OPEN}${list}${TABLE_CLOSE}`;
  }

  #others(): string {
    const pages = Array.from({ length: this.#page - 2 }, (_, index) => index + 2);
    const links = pages.map((page) => `<li><a href="${pathOf(page)}">page ${page}</a></li>`);
    return `<p>The first ${PER_PAGE} of ${this.#total} are shown; the others:</p><ol class="pages" start="2">${links.join("")}</ol>\n`;
  }
}

function pathOf(page: number): string {
  return `report/exceptions-${String(page).padStart(3, "0")}.html`;
}
