import type { SampleDraw } from "../../../domain/bulk/cip/sample.js";
import type { PackCounts } from "../../../lake/bulk/pack/manifest.js";
import type { PackFiles } from "../../../lake/bulk/pack/pack-files.js";
import type { ChangesSpool } from "../changes/changes-spool.js";
import type { ExceptionsSpool } from "../exceptions-spool.js";
import type { PackFacts } from "../facts.js";
import type { Overview } from "./overview.js";
import { type PageFrame, pageFoot, pageHead } from "./page.js";
import type { PeoplePages } from "./people-pages.js";

/** Everything that pages show of an export but the members themselves. */
export interface Shown {
  readonly files: PackFiles;
  readonly facts: PackFacts;
  readonly contentSha256: string;
  readonly counts: PackCounts;
  readonly overview: Overview;
  readonly exceptions: ExceptionsSpool;
  readonly changes: ChangesSpool;
  readonly sample: SampleDraw;
  /** Id of the pack before. */
  readonly previous: string | null;
  readonly pages: PeoplePages;
}

export type Out = (text: string) => Promise<void>;

/** Writes one page: its head, what `write` puts between, and its foot. */
export async function writePage(
  { files, facts, contentSha256 }: Shown,
  path: string,
  page: Pick<PageFrame, "title" | "kind">,
  write: (out: Out, frame: PageFrame) => Promise<void>,
): Promise<void> {
  const { exportId, unmasked } = facts;
  const frame = { ...page, exportId, unmasked, contentSha256 };
  await files.write(path, async (out) => {
    await out(pageHead(frame));
    await write(out, frame);
    await out(pageFoot(frame));
    return undefined;
  });
}
