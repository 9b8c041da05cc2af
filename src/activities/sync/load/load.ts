import { cancellationSignal } from "@temporalio/activity";
import { mapConcurrent } from "../../../domain/map-concurrent.js";
import type { LinkProgress } from "../../../domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../domain/sync/link-reading.js";
import { pageSha256 } from "../../../lake/staging.js";
import { type FeedFile, loadFeedFile } from "../../../lake/sync/feed-file.js";
import { transactionStream } from "../../../streams/transactions.js";
import type { Dependencies } from "../../dependencies.js";
import { withHeartbeat } from "../../heartbeat.js";
import { type GroupPlan, type GroupRef, generationOf, plannedLink } from "../group-plan.js";
import { loadWithRepair, PageRefusedError, type PageToLoad } from "./load-with-repair.js";
import { PageCheck, TornPageError } from "./page-check.js";

/**
 * Pages and bytes of one SQL statement (docs/architecture.md, "Load"). Small pages come
 * together up to the bytes.
 */
const MOST_PAGES = 200;
const MOST_BYTES = 10 * 1024 * 1024;
/** While SQL turns one batch into a file, the next is read and bundled, and the one before is stored. */
const BATCHES_AT_ONCE = 3;

interface LoadInput extends GroupRef {
  readonly links: readonly { readonly progress: LinkProgress; readonly complete: boolean }[];
}

export interface LoadResult {
  /** Staged name of the manifest. */
  readonly manifest: string;
  /** Links whose pages did not stand up; none of their rows are in the manifest. */
  readonly refused: readonly { readonly link: number; readonly outcome: LinkOutcome }[];
}

/** A page in a manifest: enough to load it again. */
export interface ManifestPage {
  readonly link: number;
  readonly attempt: number;
  readonly page: number;
  readonly generation: number;
  readonly sequence_from: number;
  /** Entries that it adds; none where it repeats the page before. */
  readonly entries: number;
  /** Of a page whose clean page was loaded: what its bad rows are found by, whatever becomes of the page. */
  readonly cleaned?: { readonly sha256: string; readonly fetched_at: string };
}

/** A file of the feed that no commit refers to yet, and the pages in it. */
export interface ManifestFile {
  /** Undefined where the pages held no rows. */
  readonly file?: FeedFile;
  readonly pages: readonly ManifestPage[];
}

export interface LoadManifest {
  readonly files: readonly ManifestFile[];
}

/** Turns staged pages into files of the feed; nothing refers to them until they are committed. */
export async function load(deps: Dependencies, input: LoadInput): Promise<LoadResult> {
  return withHeartbeat(async () => {
    const plan = await deps.lake.staging.document<GroupPlan>(input.runId, input.plan);
    const refused: Refused[] = [];
    // Small links share files; each link that is still being read has files of its own.
    const own = input.links.filter(({ complete }) => !complete).map((link) => [link]);
    const shared = sharingFiles(input.links.filter(({ complete }) => complete));
    const loaded = await mapConcurrent(BATCHES_AT_ONCE, [...own, ...shared], (links) =>
      loadTogether(deps, input, plan, links, refused),
    );
    const files = loaded.flat();
    const manifest = `${input.group}/load-${crypto.randomUUID()}`;
    await deps.lake.staging.putDocument(input.runId, manifest, { files } satisfies LoadManifest);
    return { manifest, refused };
  });
}

type Refused = LoadResult["refused"][number];

/** Complete links by the statement, about: a link's pages stay together. */
function sharingFiles(links: LoadInput["links"]): LoadInput["links"][] {
  const shares: LoadInput["links"][number][][] = [];
  let pages = MOST_PAGES;
  for (const link of links) {
    if (pages >= MOST_PAGES) {
      shares.push([]);
      pages = 0;
    }
    shares.at(-1)?.push(link);
    pages += link.progress.pageEntries.length;
  }
  return shares;
}

/** Loads links into files of their own, apart from those whose pages don't stand up. */
async function loadTogether(
  deps: Dependencies,
  input: LoadInput,
  plan: GroupPlan,
  links: LoadInput["links"],
  refused: Refused[],
): Promise<ManifestFile[]> {
  const pages: SizedPage[] = [];
  const check = new PageCheck();
  for (const { progress } of links) {
    const sized = await sizedPages(deps, input, plan, progress);
    if (sized === undefined) refused.push({ link: progress.link, outcome: { kind: "torn" } });
    else pages.push(...sized);
    check.expect(progress);
  }
  return loadBatches(deps, input, plan, pages, check, refused);
}

function pagesOf(plan: GroupPlan, progress: LinkProgress): ManifestPage[] {
  const planned = plannedLink(plan, progress.link);
  const generation = generationOf(planned, progress);
  let sequence = (planned.base?.next_sequence ?? 1) + progress.loaded.entries;
  return progress.pageEntries.map((entries, at) => {
    const { link, attempt } = progress;
    const page = progress.loaded.pages + at;
    const placed = { link, attempt, page, generation, sequence_from: sequence, entries };
    sequence += entries;
    return placed;
  });
}

interface SizedPage extends ManifestPage {
  readonly bytes: number;
}

/** The pages of a link with the sizes of their bodies; undefined where one is gone. */
async function sizedPages(
  deps: Dependencies,
  input: GroupRef,
  plan: GroupPlan,
  progress: LinkProgress,
): Promise<SizedPage[] | undefined> {
  const sized: SizedPage[] = [];
  for (const page of pagesOf(plan, progress)) {
    const bytes = await deps.lake.staging.bytes(toLoad(input, plan, page).name);
    if (bytes === undefined) return undefined;
    sized.push({ ...page, bytes });
  }
  return sized;
}

async function loadBatches(
  deps: Dependencies,
  input: GroupRef,
  plan: GroupPlan,
  pages: readonly SizedPage[],
  check: PageCheck,
  refused: Refused[],
): Promise<ManifestFile[]> {
  const files: ManifestFile[] = [];
  let rest = [...pages];
  while (rest.length > 0) {
    cancellationSignal().throwIfAborted();
    const batch = firstBatch(rest);
    try {
      files.push(await loadPages(deps, input, plan, batch, check));
      rest = rest.slice(batch.length);
    } catch (error) {
      const { link, outcome } = refusedIn(
        plan,
        (await tornIn(deps, input, plan, rest, batch, check)) ?? error,
      );
      refused.push({ link, outcome });
      // Its rows may stand in files of this very load: these are made again without it.
      const mixed = files.filter((file) => file.pages.some((page) => page.link === link));
      const sized = new Map(pages.map((page) => [pageId(page), page]));
      const again = mixed.flatMap((file) => file.pages.flatMap((page) => sized.get(pageId(page)) ?? []));
      for (const file of mixed) files.splice(files.indexOf(file), 1);
      rest = [...again, ...rest].filter((page) => page.link !== link);
    }
  }
  return files;
}

/** The link that can't be loaded, and why. @throws what is no link's fault. */
function refusedIn(plan: GroupPlan, error: unknown): Refused {
  if (error instanceof TornPageError) return { link: error.link, outcome: { kind: "torn" } };
  if (!(error instanceof PageRefusedError)) throw error;
  const link = plan.links.findIndex(({ link_id }) => link_id === error.page.linkId);
  return { link, outcome: { kind: "broken", reason: error.reason } };
}

/**
 * Whether a link of a failed batch is torn, be it on a page of a later batch: SQL may have met what is left of a
 * page before all of the link's pages were seen.
 */
async function tornIn(
  deps: Dependencies,
  input: GroupRef,
  plan: GroupPlan,
  rest: readonly ManifestPage[],
  batch: readonly ManifestPage[],
  check: PageCheck,
): Promise<TornPageError | undefined> {
  const links = new Set(batch.map(({ link }) => link));
  for (const page of rest.filter(({ link }) => links.has(link))) {
    const staged = await deps.lake.staging.page(toLoad(input, plan, page).name);
    try {
      check.see(page.link, page.page, pageSha256(staged?.body ?? Buffer.alloc(0)));
    } catch (error) {
      if (error instanceof TornPageError) return error;
      throw error;
    }
  }
  return undefined;
}

function pageId({ link, page }: Pick<ManifestPage, "link" | "page">): string {
  return `${link}-${page}`;
}

function firstBatch(pages: readonly SizedPage[]): SizedPage[] {
  const batch: SizedPage[] = [];
  let bytes = 0;
  for (const page of pages) {
    bytes += page.bytes;
    if (batch.length > 0 && (bytes > MOST_BYTES || batch.length >= MOST_PAGES)) break;
    batch.push(page);
  }
  return batch;
}

function toLoad(
  input: GroupRef,
  plan: GroupPlan,
  { link, attempt, page, generation, sequence_from: sequenceFrom, entries }: ManifestPage,
): PageToLoad & Pick<ManifestPage, "link" | "page"> {
  const planned = plannedLink(plan, link);
  const stream = transactionStream.name;
  return {
    link,
    page,
    name: { runId: input.runId, stream, owner: planned.link_id, attempt, page },
    fpId: planned.fp_id,
    linkId: planned.link_id,
    generation,
    sequenceFrom,
    entries,
  };
}

/** Loads pages into one file of the feed; also again, without those of a link that lost its commit. */
export async function loadPages(
  deps: Dependencies,
  input: GroupRef,
  plan: GroupPlan,
  given: readonly ManifestPage[],
  check?: PageCheck,
): Promise<ManifestFile> {
  const toBeLoaded = given.map((page) => toLoad(input, plan, page));
  const prefix = `${input.runId}-${input.group}`;
  const cleaned = new Map<string, ManifestPage["cleaned"]>();
  const file = await loadWithRepair(
    deps,
    transactionStream,
    toBeLoaded,
    (bundle) => loadFeedFile(deps.lake, transactionStream, prefix, bundle),
    ({ link, page }, { sha256, fetchedAt, cleaned: isCleaned }) => {
      check?.see(link, page, sha256);
      if (isCleaned) cleaned.set(pageId({ link, page }), { sha256, fetched_at: fetchedAt.toISOString() });
    },
  );
  const pages = given.map(({ link, attempt, page, generation, sequence_from, entries }): ManifestPage => {
    const known = { link, attempt, page, generation, sequence_from, entries };
    const found = cleaned.get(pageId(known));
    return found === undefined ? known : { ...known, cleaned: found };
  });
  return file === undefined ? { pages } : { file, pages };
}
