import { afterEach, describe, expect, it } from "vitest";
import { readList } from "../../src/api/lists/read-list.js";
import { listUserOnboardings, listUserTransactions } from "../../src/api/operations/index.js";
import { type FaultServer, json, rejection, startFaultServer } from "../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(() => server.close());

const USER = { path: { fp_id: "fp_1" } };
const SIZE = 2;

/** A paged list whose rows are what `rowsAt` says at each request, counted from 1. */
async function serve(
  rowsAt: (request: number) => readonly string[],
  change: (body: object, page: number) => object = (body) => body,
) {
  let requests = 0;
  server = await startFaultServer((request, response) => {
    requests += 1;
    const page = Number(new URL(request.url ?? "", "http://x").searchParams.get("page"));
    const rows = rowsAt(requests);
    const transactions = rows
      .slice((page - 1) * SIZE, page * SIZE)
      .map((transaction_id) => ({ transaction_id }));
    json(response, change({ page, size: SIZE, total: rows.length, transactions }, page));
  });
  return readList<typeof listUserTransactions, { transaction_id: string }>(
    server.client(),
    listUserTransactions,
    USER,
  );
}

async function idsOf(list: AsyncIterable<{ transaction_id: string }>): Promise<string> {
  const ids: string[] = [];
  for await (const { transaction_id } of list) ids.push(transaction_id);
  return ids.join("");
}

function restarts(): number {
  return server.requests.filter((line) => /[?&]page=1(&|$)/.test(line)).length - 1;
}

describe("page, size and total", () => {
  it.each<[string, number]>([
    ["", 1],
    ["a", 1],
    ["ab", 1],
    ["abc", 2],
    ["abcde", 3],
  ])("'%s' comes in %i pages, each row once", async (rows, pages) => {
    const list = await serve(() => [...rows]);
    expect(await idsOf(list)).toBe(rows);
    expect(server.requests).toHaveLength(pages);
  });

  it("a row that comes in at the front starts the list again: each once", async () => {
    const list = await serve((request) => (request === 1 ? [..."abcd"] : [..."Xabcd"]));
    expect([...(await idsOf(list))].sort().join("")).toBe("Xabcd");
    expect(restarts()).toBe(1);
  });

  it("a total that shrinks starts it again: no row is passed over", async () => {
    const list = await serve((request) => (request === 1 ? [..."abcde"] : [..."bcde"]));
    expect([...(await idsOf(list))].sort().join("")).toBe("abcde");
    expect(restarts()).toBe(1);
  });

  it("one that goes and one that comes leave the total as it was: the row that comes again tells", async () => {
    const list = await serve((request) => (request === 1 ? [..."abcd"] : [..."Xabc"]));
    expect([...(await idsOf(list))].sort().join("")).toBe("Xabc");
    expect(restarts()).toBe(1);
  });

  it("rows that are missing at the end start it again, and give up after five times", async () => {
    const list = await serve(
      () => [..."abc"],
      (body) => ({ ...body, total: 5 }),
    );
    expect(await rejection(idsOf(list))).toMatchObject({ name: "TransientError", reason: "list_moved" });
    expect(restarts()).toBe(5);
  });

  it("another page than the one asked for breaks the contract", async () => {
    const list = await serve(
      () => [..."abcdef"],
      (body) => ({ ...body, page: 1 }),
    );
    expect(await rejection(idsOf(list))).toMatchObject({ name: "SchemaError", path: "page" });
  });
});

describe("page and meta.next_page", () => {
  const item = (id: string) => ({
    id,
    playbook_key: "pb",
    status: "pass",
    timestamp: "2026-01-01T00:00:00Z",
  });
  const serveNext = async (next: (page: number) => unknown, first = 1) => {
    server = await startFaultServer((request, response) => {
      const page = Number(new URL(request.url ?? "", "http://x").searchParams.get("page") ?? first);
      const meta = next(page);
      json(response, { data: [item(`o${page}`)], ...(meta === undefined ? {} : { meta }) });
    });
    const list = readList<typeof listUserOnboardings, { id: string }>(
      server.client(),
      listUserOnboardings,
      USER,
    );
    const ids: string[] = [];
    for await (const { id } of list) ids.push(id);
    return ids;
  };

  it.each<[string, (page: number) => unknown]>([
    ["null", (page) => ({ next_page: page < 3 ? page + 1 : null })],
    ["missing", (page) => (page < 3 ? { next_page: page + 1 } : {})],
    ["no meta", (page) => (page < 3 ? { next_page: page + 1 } : undefined)],
  ])("a next_page that is %s ends the list", async (_, next) => {
    expect(await serveNext(next)).toEqual(["o1", "o2", "o3"]);
  });

  it("the first page is read whatever its number is", async () => {
    const next = (page: number) => ({ next_page: page < 2 ? page + 1 : null });
    expect(await serveNext(next, 0)).toEqual(["o0", "o1", "o2"]);
  });

  it.each<[string, (page: number) => unknown]>([
    ["the page it is on", (page) => ({ next_page: page })],
    ["a page before", (page) => ({ next_page: page === 1 ? 2 : 1 })],
    ["zero", () => ({ next_page: 0 })],
    ["ever another page", (page) => ({ next_page: page + 1 })],
    ["a page far away", () => ({ next_page: 2 ** 40 })],
  ])("a next_page that leads to %s breaks the contract", async (_, next) => {
    expect(await rejection(serveNext(next))).toMatchObject({ name: "SchemaError", path: "meta.next_page" });
  });
});
