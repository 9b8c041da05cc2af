import { randomUUID } from "node:crypto";
import { cancellationSignal } from "@temporalio/activity";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import { type Place, placeKey } from "../../../domain/sync/place.js";
import { readValue } from "../../../lake/sync/journal/journal.js";
import {
  type FoundLink,
  generationOf,
  linkBase,
  type SliceReport,
  withFound,
} from "../../../lake/sync/journal/report.js";
import type { Dependencies } from "../../dependencies.js";
import { withHeartbeat } from "../../heartbeat.js";
import type { LinkResult } from "../read/slice-work.js";
import { linkOf, loadPages } from "./load-pages.js";
import type { LoadManifest, ManifestFile, ManifestPage } from "./manifest.js";
import { LostPageError, PageRefusedError } from "./page-to-load.js";

/** Pages and bytes of one SQL statement (docs/inside/architecture.md, "Load"). */
const MOST_PAGES = 2_000;
const MOST_BYTES = 10 * 1024 * 1024;
/** While SQL turns one batch into a file, the next is read and bundled, and the one before is stored. */
const BATCHES_AT_ONCE = 3;

/** A link whose pages are loaded. */
interface LinkToLoad {
  /** Of the link's record. */
  readonly link: Place;
  readonly progress: LinkProgress;
  /** Whether these are all of its pages: then it may share files with others. */
  readonly complete: boolean;
}

interface LoadInput {
  readonly runId: string;
  /** Reports whose finished links are loaded. */
  readonly reports: readonly Place[];
  readonly links: readonly LinkToLoad[];
}

export interface LoadResult {
  /** Staged name of the manifest. */
  readonly manifest: string;
  /** Links whose pages did not stand up; none of their rows are in the manifest. */
  readonly refused: readonly LinkResult[];
}

/** Turns staged pages into files of the feed; nothing refers to them until they are committed. */
export async function load(deps: Dependencies, input: LoadInput): Promise<LoadResult> {
  return withHeartbeat(async () => {
    const work = new LoadWork(deps, input.runId);
    const links = await work.linksOf(input);
    // Small links share files; each link that is still being read has files of its own.
    const own = links.filter(({ complete }) => !complete).map(({ pages }) => pages);
    const shared = batchesOf(links.flatMap(({ pages, complete }) => (complete ? pages : [])));
    const batches = [...own.flatMap(batchesOf), ...shared];
    const loaded = await mapConcurrent(BATCHES_AT_ONCE, batches, (batch) => work.loadBatch(batch));
    const files = await work.withoutRefused(loaded.flat());
    const manifest = `load-${randomUUID()}`;
    await deps.lake.staging.putDocument(input.runId, manifest, { files } satisfies LoadManifest);
    const refused = links.flatMap(({ link, found, progress }) => {
      const outcome = work.refused.get(placeKey(link));
      return outcome === undefined ? [] : [{ link, base: linkBase(found), progress, outcome }];
    });
    return { manifest, refused };
  });
}

/** A link to load, with its pages. */
interface LoadedLink extends LinkToLoad {
  readonly found: FoundLink;
  readonly pages: readonly ManifestPage[];
}

class LoadWork {
  /** Links that can't be loaded, by key, and why. */
  readonly refused = new Map<string, LinkOutcome>();

  constructor(
    private readonly deps: Dependencies,
    private readonly runId: string,
  ) {}

  async linksOf({ reports, links }: LoadInput): Promise<LoadedLink[]> {
    const { store } = this.deps.lake;
    const all = [...links];
    for (const place of reports) {
      const { finished } = await readValue<SliceReport>(store, this.runId, place);
      all.push(...finished.map((link) => ({ ...link, complete: true })));
    }
    const known = await withFound(store, this.runId, all);
    return known.map((link) => ({ ...link, pages: pagesOf(link, link.found) }));
  }

  /** Loads a batch, without the links that turn out not to stand up. */
  async loadBatch(batch: readonly ManifestPage[]): Promise<ManifestFile[]> {
    for (;;) {
      cancellationSignal().throwIfAborted();
      const pages = batch.filter(({ link }) => !this.refused.has(link));
      if (pages.length === 0) return [];
      try {
        return [await loadPages(this.deps, this.runId, pages)];
      } catch (error) {
        this.#refuse(error);
      }
    }
  }

  /** Files that hold rows of a link that was refused later are made again without it. */
  async withoutRefused(files: readonly ManifestFile[]): Promise<ManifestFile[]> {
    const kept: ManifestFile[] = [];
    for (const file of files) {
      const isMixed = file.pages.some(({ link }) => this.refused.has(link));
      kept.push(...(isMixed ? await this.loadBatch(file.pages) : [file]));
    }
    // Making one again may have refused another link.
    const isClean = kept.every(({ pages }) => pages.every(({ link }) => !this.refused.has(link)));
    return isClean ? kept : this.withoutRefused(kept);
  }

  /** @throws what is no link's fault */
  #refuse(error: unknown): void {
    if (error instanceof LostPageError) this.refused.set(linkOf(error.page), { kind: "torn" });
    else if (error instanceof PageRefusedError) {
      this.refused.set(linkOf(error.page), { kind: "broken", reason: error.reason });
    } else throw error;
  }
}

function pagesOf({ link, progress }: LinkToLoad, found: FoundLink): ManifestPage[] {
  const { link_id, fp_id, base } = found;
  const generation = generationOf(found, progress);
  let sequence = (base?.next_sequence ?? 1) + progress.loaded.entries;
  return progress.staged.map(({ entries, ...place }, at) => {
    const { attempt } = progress;
    const page = progress.loaded.pages + at;
    const placed = { link: placeKey(link), attempt, page, place, link_id, fp_id, generation };
    const first = sequence;
    sequence += entries;
    return { ...placed, sequence_from: first, entries };
  });
}

/** Pages by the statement. A link that two slices have read has each reading in a file of its own: one is committed. */
function batchesOf(pages: readonly ManifestPage[]): ManifestPage[][] {
  const batches: ManifestPage[][] = [];
  let keys = new Map<string, string>();
  let bytes = 0;
  for (const page of pages) {
    bytes += page.place.bytes;
    const open = batches.at(-1);
    const isOther = (keys.get(page.link_id) ?? page.link) !== page.link;
    if (open !== undefined && !isOther && bytes <= MOST_BYTES && open.length < MOST_PAGES) open.push(page);
    else {
      batches.push([page]);
      keys = new Map();
      bytes = page.place.bytes;
    }
    keys.set(page.link_id, page.link);
  }
  return batches;
}
