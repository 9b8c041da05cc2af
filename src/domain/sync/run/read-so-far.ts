/** What is read of links, by their pages. */
export interface ReadSoFar {
  /** Links that are done, and the parts of others that are read, as far as the pages of those that are done tell. */
  readonly linksRead: number;
  /** Pages read, committed or not. */
  readonly pagesRead: number;
  /** Pages of the longest links that are being read. */
  readonly longest: readonly number[];
}

const LONGEST = 3;
/** How much of a link is read at most, before it is done. */
const MOST_PART = 0.9;

/** @param open the links that are being read */
export function readSoFar(
  done: { readonly links: number; readonly pages: number },
  open: readonly { readonly progress: { readonly pages: number } }[],
): ReadSoFar {
  const reading = open.map(({ progress }) => progress.pages);
  const part = (pages: number) =>
    done.pages > 0 ? Math.min((pages * done.links) / done.pages, MOST_PART) : 0;
  return {
    linksRead: reading.reduce((sum, pages) => sum + part(pages), done.links),
    pagesRead: reading.reduce((sum, pages) => sum + pages, done.pages),
    longest: reading.toSorted((a, b) => b - a).slice(0, LONGEST),
  };
}
