import { listBankLinks } from "../../api/operations/bank-links.js";
import { listUserAccounts } from "../../api/operations/user-accounts.js";
import type { SyncStream } from "../../domain/sync/job.js";
import { endsUser, type UserOutcome, type UserProgress } from "../../domain/sync/user-reading.js";
import { frozenUsers } from "../../lake/sync/frozen-roster.js";
import type { Stream } from "../../lake/sync/stream.js";
import { accountStream } from "../../streams/accounts.js";
import { bankLinkStream } from "../../streams/bank-links.js";
import { cleanPage } from "../../streams/clean-page.js";
import { readPage } from "../../streams/page-reading.js";
import type { Dependencies } from "../dependencies.js";
import { callFailure } from "./call-failure.js";
import { warnOfOddities } from "./page-warnings.js";
import { runSlice, type Slice } from "./slice.js";

export interface DiscoverInput {
  readonly runId: string;
  /** Number of the group whose users these are. */
  readonly group: number;
  readonly streams: readonly SyncStream[];
  readonly users: readonly UserProgress[];
  readonly budgetMs: number;
}

export interface DiscoveredUser {
  readonly progress: UserProgress;
  readonly outcome: UserOutcome;
  /** Whose failure it is; null for all others, so that no history holds people in bulk. */
  readonly failed: string | null;
}

export interface DiscoverResult {
  readonly users: readonly DiscoveredUser[];
  readonly calls: number;
  readonly gateUntil: number | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What is read of each user before any link is: one call a stream. */
export function userReads(
  streams: readonly SyncStream[],
): readonly { stream: Stream; operation: UserOperation }[] {
  const links = { stream: bankLinkStream, operation: listBankLinks };
  const accounts = { stream: accountStream, operation: listUserAccounts };
  const needsLinks = streams.includes("bank_links") || streams.includes("transactions");
  return [...(needsLinks ? [links] : []), ...(streams.includes("accounts") ? [accounts] : [])];
}

type UserOperation = typeof listBankLinks | typeof listUserAccounts;

/** Stages the links and accounts of a slice of users (docs/architecture.md, "A run"). */
export async function discover(deps: Dependencies, input: DiscoverInput): Promise<DiscoverResult> {
  const users = await frozenUsers(deps.lake.store, input.runId, input.group);
  const { results, calls } = await runSlice(deps, input, input.users, async (progress, slice) => {
    const fpId = users[progress.user]?.fp_id;
    if (fpId === undefined) throw new Error(`user ${progress.user} is not in the frozen roster`);
    return { progress, fpId, outcome: await readUser(deps, input, slice, fpId) };
  });
  const at = Date.now();
  const discovered = results.map(({ progress, fpId, outcome }) => ({
    progress,
    outcome,
    failed: endsUser(progress, outcome, at) ? fpId : null,
  }));
  return { users: discovered, calls, gateUntil: deps.api.gateUntil ?? null, at };
}

async function readUser(
  deps: Dependencies,
  input: DiscoverInput,
  slice: Slice,
  fpId: string,
): Promise<UserOutcome> {
  for (const { stream, operation } of userReads(input.streams)) {
    const name = { runId: input.runId, stream: stream.name, owner: fpId, attempt: 0, page: 0 };
    if (await isStaged(deps, slice, stream, name)) continue;
    if (!slice.mayGoOn()) return { kind: "open" };
    try {
      const { body } = await slice.call(operation, { path: { fp_id: fpId } });
      const reading = readPage(stream, body);
      warnOfOddities(deps, input.runId, stream, reading);
      if (reading.needsCleaning) {
        const { clean, bad } = cleanPage(stream, reading);
        await deps.lake.staging.putCleanPage(name, clean, bad);
      } else if (slice.repeated) await deps.lake.staging.dropCleanPage(name);
      await deps.lake.staging.putPage(name, body);
    } catch (error) {
      return userOutcome(callFailure(error), stream);
    }
  }
  return { kind: "complete" };
}

/** Found where the user came this far before: in a lost attempt, or in an earlier slice. */
async function isStaged(
  deps: Dependencies,
  slice: Slice,
  stream: Stream,
  name: Parameters<typeof deps.lake.staging.page>[0],
): Promise<boolean> {
  const found = await deps.lake.staging.page(name);
  if (found === undefined) return false;
  try {
    readPage(stream, found.body);
  } catch {
    return false;
  }
  if (slice.repeated) slice.countFound();
  return true;
}

function userOutcome(failure: ReturnType<typeof callFailure>, stream: Stream): UserOutcome {
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
