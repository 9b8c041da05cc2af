import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import { withPageHash } from "../../../lake/sync/link-checkpoint.js";

/** Thrown when the staged pages of a link are not those that were read: its update begins anew. */
export class TornPageError extends Error {
  override readonly name = "TornPageError";

  constructor(readonly link: number) {
    super(`the staged pages of link ${link} are not those that were read; its update begins anew`);
  }
}

/** Where the checking of one link's pages has come to. */
interface Course {
  next: number;
  sha256: string;
  readonly end: number;
  readonly expected: string;
}

/**
 * Holds staged pages against the rolling hash of what was read (docs/architecture.md, "Staging"),
 * while they are loaded.
 */
export class PageCheck {
  readonly #courses = new Map<number, Course>();

  /** The pages that a link's progress hands to loading. */
  expect({ link, loaded, pageEntries, pagesSha256 }: LinkProgress): void {
    const { pages: next, pagesSha256: sha256 } = loaded;
    this.#courses.set(link, { next, sha256, end: next + pageEntries.length, expected: pagesSha256 });
  }

  /**
   * Sees a link's pages in their order; those seen before pass, unless the link was found torn.
   *
   * @throws TornPageError at the last one, and at every later look at the link.
   */
  see(link: number, page: number, bodySha256: string): void {
    const course = this.#courses.get(link);
    if (course === undefined) return;
    if (page === course.next && page < course.end) {
      course.sha256 = withPageHash(course.sha256, bodySha256);
      course.next += 1;
    }
    if (course.next === course.end && course.sha256 !== course.expected) throw new TornPageError(link);
  }
}
