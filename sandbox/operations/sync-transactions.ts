import { type Answer, ok, Refusal } from "../http/answer.js";
import { servedRows } from "../http/dated-times.js";
import type { Call, Operation } from "../http/router.js";
import { readableLinkOf } from "../owner.js";
import type { BankLink } from "../world/bank-link.js";
import type { CursorState } from "../world/cursor.js";
import type { LogEvent, PageLists } from "../world/link-log.js";
import { transactionRow } from "../world/records.js";

/** One page of an update: what it holds, where the next begins, whether more follows. */
interface Page {
  readonly lists: PageLists;
  readonly position: number;
  readonly snapshot: number;
  readonly more: boolean;
}

type NextForm = "missing" | "same" | "empty" | "null";

const EMPTY: PageLists = { created: Buffer.alloc(0), updated: Buffer.alloc(0), removed: Buffer.alloc(0) };

/** GET /bank_links/{link_id}/transactions/sync (docs/reference/service.md, "Sync operation"). */
export const syncTransactions: Operation = {
  name: "sync_transactions",
  method: "GET",
  path: "/bank_links/{link_id}/transactions/sync",
  query: ["cursor", "size"],
  pageOf(params, query, state) {
    const token = query.get("cursor");
    return token ? (state.cursors.decode(params.link_id ?? "", token)?.page ?? 0) : 0;
  },
  handle(call) {
    const { query, state } = call;
    const token = query.text("cursor");
    const size = query.integer("size", state.service.maxSyncSize);
    const link = readableLinkOf(call);
    if (size !== undefined) {
      const refused = call.fire("size_refused", ({ above = 0 }) => size > above);
      if (refused) throw new Refusal(refused.status ?? 400, "invalid_request", "this size is refused");
    }
    const start = startOf(call, link, token);
    const notReady = call.fire("not_ready");
    if (notReady) return bodyOf(EMPTY, formOf(notReady.next ?? "missing", undefined, undefined), false);
    return pageAnswer(call, link, start, token, size ?? state.service.defaultSyncSize);
  },
};

/** Where a call begins to read. @throws Refusal 400 for a cursor that is not, or no longer, good. */
function startOf(call: Call, link: BankLink, token: string | undefined): CursorState {
  const { cursors, service } = call.state;
  if (token === undefined) {
    const snapshot = service.history === "compacted" ? link.log.length : 0;
    return { position: 0, page: 0, cursorEpoch: link.cursorEpoch, updateEpoch: link.updateEpoch, snapshot };
  }
  const state = cursors.decode(link.id, token);
  if (!state) throw new Refusal(400, "invalid_cursor", "this cursor was never given out for this link");
  const refused = state.cursorEpoch === link.cursorEpoch ? call.fire("cursor_refused") : undefined;
  if (refused) link.cursorEpoch++;
  if (state.cursorEpoch !== link.cursorEpoch) {
    throw new Refusal(refused?.status ?? 400, "invalid_cursor", "this cursor is no longer good");
  }
  if (state.page === 0) return { ...state, updateEpoch: link.updateEpoch };
  const changed = state.updateEpoch === link.updateEpoch ? call.fire("log_changed") : undefined;
  if (changed) link.updateEpoch++;
  if (state.updateEpoch !== link.updateEpoch) {
    throw new Refusal(
      changed?.status ?? 400,
      "log_changed",
      "the log changed since the last page: start the update again",
    );
  }
  return state;
}

function pageAnswer(
  call: Call,
  link: BankLink,
  start: CursorState,
  token: string | undefined,
  size: number,
): Answer {
  const nextToken = (position: number, more: boolean, snapshot = 0) =>
    call.state.cursors.encode(link.id, { ...start, position, snapshot, page: more ? start.page + 1 : 0 });
  const again = () => nextToken(start.position, true, start.snapshot);
  if (call.fire("empty_page")) return bodyOf(EMPTY, JSON.stringify(again()), true);
  const read = readPage(link, start, size);
  const isEndless = !read.more && call.fire("endless") !== undefined;
  if (isEndless) addRow(call, link);
  const page = servedPage(call, isEndless ? { ...read, more: true } : read);
  if (page.position !== start.position && call.fire("page_replayed")) {
    return bodyOf(page.lists, JSON.stringify(again()), true);
  }
  const next = nextToken(page.position, page.more, page.snapshot);
  const loop = call.fire("loop", (fault) => fault.next !== "same" || token !== undefined);
  if (loop) return bodyOf(page.lists, formOf(loop.next ?? "missing", next, token), true);
  const lost = page.more ? undefined : call.fire("no_cursor");
  return bodyOf(page.lists, formOf(lost ? (lost.next ?? "missing") : undefined, next, token), page.more);
}

function addRow({ state }: Call, link: BankLink): void {
  const transaction_id = link.newTransactionId();
  const account_id = link.accounts[0]?.id ?? `acc_${link.id}_1`;
  link.write(
    "created",
    transaction_id,
    transactionRow({ transaction_id, account_id, date: state.world.today }),
  );
}

function servedPage({ state }: Call, page: Page): Page {
  const served = (rows: Buffer) => Buffer.from(servedRows(state, rows.toString("utf8")));
  if (!state.service.behaves.has("dated-times")) return page;
  const { created, updated, removed } = page.lists;
  return { ...page, lists: { created: served(created), updated: served(updated), removed } };
}

/** Reads up to `size` events on, first from a compacted history where the cursor points into one. */
function readPage(link: BankLink, start: CursorState, size: number): Page {
  const { log } = link;
  if (start.snapshot > 0) {
    const rows = link.compacted(start.snapshot);
    const end = Math.min(start.position + size, rows.length);
    const lists = createdLists(rows.slice(start.position, end));
    if (end < rows.length) return { lists, position: end, snapshot: start.snapshot, more: true };
    return { lists, position: start.snapshot, snapshot: 0, more: start.snapshot < log.length };
  }
  const end = log.pageEnd(start.position, size);
  return { lists: log.lists(start.position, end), position: end, snapshot: 0, more: end < log.length };
}

function createdLists(rows: readonly LogEvent[]): PageLists {
  return { ...EMPTY, created: Buffer.from(rows.map((row) => row.text).join(",")) };
}

/** The JSON of `next` in the form a fault asks for; `undefined` leaves the field out. */
function formOf(
  form: NextForm | undefined,
  next: string | undefined,
  sent: string | undefined,
): string | undefined {
  if (form === "missing") return undefined;
  if (form === "empty") return '""';
  if (form === "null") return "null";
  const value = form === "same" ? (sent ?? next) : next;
  return value === undefined ? undefined : JSON.stringify(value);
}

function bodyOf(lists: PageLists, next: string | undefined, more: boolean): Answer {
  const cursor = next === undefined ? "{}" : `{"next":${next}}`;
  return ok(
    Buffer.concat([
      Buffer.from(`{"cursor":${cursor},"has_more":${more},"transactions":{"created":[`),
      lists.created,
      Buffer.from('],"updated":['),
      lists.updated,
      Buffer.from('],"removed":['),
      lists.removed,
      Buffer.from("]}}"),
    ]),
  );
}
