import type { ListedException } from "../exceptions-spool.js";
import { type Out, type Shown, writePage } from "./page.js";
import { pagePath, REPORT_PAGE } from "./people-pages.js";
import { exceptionsTable } from "./summary.js";
import { pagerTop } from "./summary-template.js";

const PER_PAGE = 500;

/** Writes the list of exceptions: the first of them on the report itself, through `out`, the others on own pages. */
export async function writeExceptions(shown: Shown, out: Out): Promise<void> {
  const total = [...shown.overview.exceptions.values()].reduce((sum, { rows }) => sum + rows, 0);
  const pages = Math.ceil(total / PER_PAGE);
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
      if (rows.length === PER_PAGE) await endPage();
    }
  });
  if (rows.length > 0) await endPage();
  if (pages > 1) {
    const others = Array.from({ length: pages - 1 }, (_, index) => index + 2);
    const links = others.map((one) => `<li><a href="${pagePath("exceptions", one)}">page ${one}</a></li>`);
    await out(
      `<p>The first ${PER_PAGE} of ${total} are shown; the others:</p><ol class="pages" start="2">${links.join("")}</ol>\n`,
    );
  }
  await out("</section>\n");
}
