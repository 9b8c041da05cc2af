import { ListPass } from "../../../api/lists/list-pass.js";
import { firstPage, listPage } from "../../../api/lists/read-list.js";
import type { Operation, ParamsOf } from "../../../api/operations/operation.js";
import type { RosterRow } from "../../../domain/sync/roster.js";
import { type UserOutcome, type UserProgress, userFailure } from "../../../domain/sync/user-reading.js";
import { type NamedFailure, namedFailures } from "../../../domain/waiting.js";
import { type PageName, pageSha256 } from "../../../lake/staging.js";
import { StagingLostError } from "../../../lake/staging-lost-error.js";
import { frozenUsers } from "../../../lake/sync/frozen-roster.js";
import { cleanPage } from "../../../streams/clean-page.js";
import { type PageReading, readPage } from "../../../streams/page-reading.js";
import type { Stream } from "../../../streams/stream.js";
import { runSlice, type Slice } from "../../slice.js";
import type { SyncDependencies } from "../dependencies.js";
import { type Owner, observedPage, observedStreams, ownersOf } from "./observed-pages.js";
import { pageFailure } from "./page-failure.js";
import { warnOfOddities } from "./page-warnings.js";

interface DiscoverInput {
  readonly runId: string;
  /** Number of the group whose users these are. */
  readonly group: number;
  /** Names of the streams that the run reads. */
  readonly streams: readonly string[];
  /** Only these links, or all. */
  readonly links: readonly string[] | null;
  readonly users: readonly UserProgress[];
  readonly budgetMs: number;
}

export interface DiscoveredUser {
  readonly progress: UserProgress;
  readonly outcome: UserOutcome;
  /** Whose failure it is; null for all others, so that no history holds people in bulk. */
  readonly failed: string | null;
  /** Of the first users whose pages could not be read, and are asked for again. */
  readonly failure?: NamedFailure;
}

interface DiscoverResult {
  readonly users: readonly DiscoveredUser[];
  readonly calls: number;
  readonly gateUntil: number | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Stages the links and accounts of a slice of users (docs/architecture.md, "A run"). */
export async function discover(deps: SyncDependencies, input: DiscoverInput): Promise<DiscoverResult> {
  const users = await frozenUsers(deps.lake.store, input.runId, input.group);
  const read: PageName[] = [];
  const { results, calls } = await runSlice(deps, input, input.users, async (progress, slice) => {
    const user = users[progress.user];
    if (user === undefined) throw new StagingLostError(`the roster of group ${input.group}`, "torn");
    const pages: PageName[] = [];
    const outcome = await readUser({ deps, input, slice, attempt: progress.attempt, pages }, user);
    if (outcome.kind === "complete") read.push(...pages);
    return { progress, fpId: user.fp_id, outcome };
  });
  await deps.lake.staging.persist(read);
  const at = Date.now();
  const named = namedFailures(results, ({ fpId }) => ({ owner: fpId }));
  const discovered = named.map(({ fpId, ...result }) => {
    const { progress, outcome } = result;
    const reason = userFailure(progress, outcome, at);
    const told = reason === undefined ? outcome : ({ kind: "failed", reason } as const);
    const streak = outcome.kind === "complete" ? null : progress.streak;
    deps.warnings.fares(input.runId, { fp_id: fpId }, told, streak, at);
    return { ...result, failed: reason === undefined ? null : fpId };
  });
  return { users: discovered, calls, gateUntil: deps.api.gateUntil ?? null, at };
}

/** What the reading of one user needs. */
interface Reader {
  readonly deps: SyncDependencies;
  readonly input: DiscoverInput;
  readonly slice: Slice;
  readonly attempt: number;
  /** Every page of the user, as they are found or staged. */
  readonly pages: PageName[];
}

async function readUser(reader: Reader, user: RosterRow): Promise<UserOutcome> {
  const { deps, input } = reader;
  for (const stream of observedStreams(deps.streams, input.streams)) {
    for (const owner of await ownersOf(deps, input, stream, user)) {
      const outcome = await readOwner(reader, stream, owner);
      if (outcome !== "read") return outcome;
    }
  }
  return { kind: "complete" };
}

/** Stages every page of one owner. */
async function readOwner(reader: Reader, stream: Stream, owner: Owner): Promise<UserOutcome | "read"> {
  const { input, slice, attempt } = reader;
  const pass = new ListPass();
  let next = stream.paging === "page" ? firstPage(stream.operation) : undefined;
  for (let page = 0; ; page += 1) {
    const { name } = observedPage(input.runId, stream, owner, attempt, page);
    try {
      let reading = await stagedPage(reader, stream, name);
      if (reading === undefined) {
        if (!slice.mayGoOn()) return { kind: "open" };
        reading = await askPage(reader, stream, owner, name, next);
      }
      reader.pages.push(name);
      if (stream.paging === "none") return "read";
      const envelope = reading.envelope as Readonly<Record<string, unknown>>;
      const after = pass.take(listPage(stream.operation, envelope, next, pass.before));
      if (after === "moved") return { kind: "moved", stream: stream.name };
      if (after === "end") return "read";
      next = after;
    } catch (error) {
      const failure = pageFailure(error);
      // A link that went since its user's links were listed has no rows.
      if (failure.kind === "gone" && owner.linkId !== null) return "read";
      return userOutcome(failure, stream);
    }
  }
}

/** A page that an earlier slice or a lost attempt staged; undefined where it must be asked for. */
async function stagedPage(
  { deps, slice }: Reader,
  stream: Stream,
  name: PageName,
): Promise<PageReading | undefined> {
  const found = await deps.lake.staging.page(name);
  if (found === undefined) return undefined;
  try {
    const reading = readPage(stream, found.body);
    if (slice.repeated) slice.countFound();
    return reading;
  } catch {
    return undefined;
  }
}

/** Rows asked for in one page: the most that the service's document allows. */
const PAGE_SIZE = 100;

async function askPage(
  { deps, input, slice }: Reader,
  stream: Stream,
  { fpId, linkId }: Owner,
  name: PageName,
  page: number | undefined,
): Promise<PageReading> {
  const path = linkId === null ? { fp_id: fpId } : { link_id: linkId };
  const query = stream.paging === "page" ? { query: { page, size: PAGE_SIZE } } : {};
  const { body } = await slice.call(stream.operation, { path, ...query } as ParamsOf<Operation>);
  const reading = readPage(stream, body);
  warnOfOddities(deps, input.runId, stream, reading);
  if (reading.needsCleaning) {
    await deps.lake.staging.putCleanPage(name, pageSha256(body), cleanPage(stream, reading));
  }
  await deps.lake.staging.putPage(name, body);
  return reading;
}

function userOutcome(failure: ReturnType<typeof pageFailure>, stream: Stream): UserOutcome {
  switch (failure.kind) {
    case "gone":
      return { kind: "failed", reason: `${stream.name}: user not found` };
    case "rejected":
      return { kind: "failed", reason: `${stream.name}: refused http_${failure.status}` };
    case "broken":
      return { kind: "failed", reason: `${stream.name}: ${failure.reason}` };
    case "transient":
      return { ...failure, stream: stream.name };
    default:
      return failure;
  }
}
