import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Door } from "../../../../src/cli/board/http/guard.js";
import { type BoardServer, startBoard } from "../../../../src/cli/board/http/server.js";
import { page } from "../../../../src/cli/board/page.js";
import { InputError, NotThereError, UnreachableError } from "../../../../src/domain/failures.js";
import { paragraph } from "../../../../src/pages/parts.js";

const NAME = '<img src=x onerror="alert(1)">';
const PAGES = [
  page("/", {
    title: NAME,
    tables: [],
    read: async () => ({ name: NAME }),
    draw: ({ name }) => paragraph(name),
  }),
  page("/forms", {
    title: () => "Forms",
    tables: [],
    read: async () => ({}),
    draw: (_, { form = "" }) => paragraph(form, "key"),
  }),
  page("/foreign", {
    title: () => "Foreign",
    tables: [],
    read: async () => ({}),
    draw: () => paragraph("ours"),
    foreign: () => "<style>p { color: red }</style><script>alert(1)</script>",
  }),
  page("/gone", {
    title: String,
    tables: [],
    read: () => Promise.reject(new NotThereError("there is no such run")),
    draw: () => paragraph(""),
  }),
  ...[
    new Error("secret detail"),
    new InputError("NIGHTLEDGER_LAKE: not set."),
    new UnreachableError("the bucket does not answer"),
  ].map((error) =>
    page(`/broken/${error.name}`, {
      title: String,
      tables: [],
      read: () => Promise.reject(error),
      draw: () => paragraph(""),
    }),
  ),
  page("/held", {
    title: String,
    tables: [],
    read: () => held(),
    draw: () => paragraph(""),
  }),
];

let held: () => Promise<object> = async () => ({});
let server: BoardServer | undefined;
const failures: unknown[] = [];
const commands: unknown[] = [];
let news = () => Promise.resolve("");
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

/** Starts a board and comes in by its token; the result asks for a path. */
async function enter(door: Door = { kind: "token", token: "t", user: "ada" }) {
  server = await startBoard({
    ...{ host: "127.0.0.1", port: 0, door, lake: "/lake", pages: PAGES, lookEveryMs: 20 },
    read: (one, asked) => one.read(undefined as never, asked),
    pulse: () => news(),
    steering: {
      run: async (words, user, reason) => {
        commands.push([words, user, reason]);
        return { command: "nightledger …", code: 2, said: `${NAME} is unknown` };
      },
    },
    failed: (error) => failures.push(error),
  });
  const { url } = server;
  const first = await fetch(`${url}/?token=t&kind=sync`, { redirect: "manual" });
  const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { cookie, origin: url, ...init.headers } });
  return { first, ask };
}

test("the token becomes a cookie and leaves the address, and nothing is shown without it", async () => {
  const { first, ask } = await enter();
  expect([first.status, first.headers.get("location")]).toEqual([303, "/?kind=sync"]);
  expect((await ask("/")).status).toBe(200);
  expect((await ask("/", { headers: { cookie: "" } })).status).toBe(401);
  expect((await ask("/board.css", { headers: { cookie: "" } })).status).toBe(401);
  expect((await ask("/healthz", { headers: { cookie: "" } })).status).toBe(200);
});

test("a page of a pack is shown as it is, in a sandbox where nothing of it runs or sends", async () => {
  const { ask } = await enter();
  const answer = await ask("/foreign");
  expect(await answer.text()).toBe("<style>p { color: red }</style><script>alert(1)</script>");
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/form-action 'none'.*; sandbox allow-same-origin$/);
  expect(policy).not.toContain("script");
});

test("a zero byte, which is in no name, asks for nothing", async () => {
  const { ask } = await enter();
  for (const path of ["/?kind=%00", "/runs/%00", "/%00"]) expect((await ask(path)).status).toBe(400);
});

// The server looked for slow ones every 30 seconds, so a few hundred of them shut everybody else out.
test("who holds every place without asking for anything loses them within seconds", async () => {
  const { ask } = await enter();
  const { port } = new URL(server?.url ?? "");
  const slow = Array.from({ length: 210 }, () => connect(Number(port), "127.0.0.1").resume());
  for (const socket of slow) socket.on("error", () => undefined);
  try {
    await Promise.all(slow.map((socket) => once(socket, "close")));
    expect((await ask("/")).status).toBe(200);
  } finally {
    for (const socket of slow) socket.destroy();
  }
}, 20_000);

test("markup in a name is text, and the content policy allows no script but the board's own", async () => {
  const { ask } = await enter();
  const answer = await ask("/");
  const html = await answer.text();
  expect(html).not.toContain("<img");
  expect(html).toContain("&lt;img src=x");
  expect(answer.headers.get("content-security-policy")).toMatch(/default-src 'none'.*script-src 'self'/);
  expect(html).not.toMatch(/<script(?! src="\/board\.js" defer><\/script>)|style="/);
  expect(await (await ask("/index.json")).json()).toEqual({ name: NAME });
});

test("an address that is none is refused, and the board goes on", async () => {
  const { ask } = await enter();
  const { port } = new URL(server?.url ?? "");
  const socket = connect(Number(port), "127.0.0.1");
  socket.end("GET // HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect((await ask("/")).status).toBe(200);
  expect(failures).toEqual([]);
});

test("what is not there is 404 with the reason, and what failed says nothing of it to the browser", async () => {
  const { ask } = await enter();
  const gone = await ask("/gone");
  expect([gone.status, await gone.text()]).toEqual([404, expect.stringContaining("there is no such run")]);
  expect((await ask("/nothing")).status).toBe(404);
  expect(failures).toEqual([]);
  const broken = await ask("/broken/Error");
  expect(broken.status).toBe(500);
  expect(await broken.text()).not.toContain("secret detail");
  expect(failures).toHaveLength(1);
});

test.for([
  ["InputError", 500, "NIGHTLEDGER_LAKE: not set. Put this right"],
  ["UnreachableError", 503, "the bucket does not answer. Load this page again once it answers."],
] as const)(
  "%s of lake or configuration is %i: the page says what to do, and the board is told",
  async ([name, status, words]) => {
    const { ask } = await enter();
    const told = failures.length;
    const answer = await ask(`/broken/${name}`);
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(words)]);
    expect(failures.slice(told)).toMatchObject([{ name }]);
  },
);

test("a button needs the key of its page, a reason and a command that the board has", async () => {
  const { ask } = await enter();
  const key = /class="key">([^<]+)</.exec(await (await ask("/forms")).text())?.[1] ?? "";
  const post = (given: Record<string, string>) =>
    ask("/act", { method: "POST", body: new URLSearchParams(given) });
  const right = { form: key, once: "1", action: "run-cancel", subject: "sync-1", reason: "too slow" };
  expect((await post({ ...right, form: "x" })).status).toBe(403);
  for (const reason of [" ", "a\0b", "a\nb", "a\u001b[31mb", "a\u0085b", "x".repeat(201)])
    expect((await post({ ...right, reason })).status).toBe(400);
  expect((await post({ ...right, subject: "--json" })).status).toBe(400);
  expect((await post({ ...right, once: "" })).status).toBe(400);
  expect((await post({ ...right, reason: "x".repeat(20_000) })).status).toBe(413);
  expect(commands).toEqual([]);
  const done = await post(right);
  expect(await done.text()).toMatch(/exit code 2.*&lt;img/s);
  expect(commands).toEqual([[["runs", "cancel", "sync-1"], "ada", "too slow"]]);
  // A second click, and the same button on the page as it is after that.
  const [again, twice] = await Promise.all([post(right), post({ ...right, reason: "impatient" })]);
  expect([again.status, twice.status]).toEqual([200, 200]);
  expect(commands).toHaveLength(1);
  await Promise.all([post({ ...right, once: "2" }), post({ ...right, once: "2" })]);
  expect(commands).toHaveLength(2);
});

test("open pages learn of news by one look at a time; what can't be read is as it was", async () => {
  const { ask } = await enter();
  const told = async () => (await ask("/news")).text();
  news = async () => "a";
  await expect.poll(told).toBe("a\n");
  let [looks, letGo] = [0, (_: string) => {}];
  news = () => {
    looks += 1;
    return new Promise((resolve) => {
      letGo = resolve;
    });
  };
  const open: Promise<string>[] = [];
  const asked = () => {
    open.push(told());
    return looks;
  };
  await expect.poll(asked).toBe(1);
  open.push(...Array.from({ length: 20 }, told));
  await ask("/");
  expect(looks).toBe(1);
  letGo("b");
  expect(new Set(await Promise.all(open))).toContain("b\n");
  news = () => Promise.reject(new Error("the lake is gone"));
  expect(await told()).toBe("b\n");
  expect((await ask("/news", { headers: { cookie: "" } })).status).toBe(401);
});

// Each page opens the lake: 200 at once took 1.6 GB of the process in which the worker may be, and none was answered.
test("a few pages are read at a time, the others in turn, and those whose reader has left not at all", async () => {
  const { ask } = await enter();
  const begun: (() => void)[] = [];
  let told = () => {};
  held = () =>
    new Promise((resolve) => {
      begun.push(() => resolve({}));
      told();
    });
  const reached = async (count: number) => {
    while (begun.length < count) await new Promise<void>((resolve) => (told = resolve));
  };
  const stay = Array.from({ length: 8 }, () => ask("/held"));
  await reached(8);
  const leaving = new AbortController();
  const left = ask("/held", { signal: leaving.signal });
  const last = ask("/held.json");
  // The news is not in line: both are asked for by now, and what waits has not begun.
  expect(await (await ask("/news")).text()).toBe("");
  expect(begun).toHaveLength(8);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await ask("/news");
  for (const end of begun) end();
  expect((await Promise.all(stay)).map(({ status }) => status)).toEqual(new Array(8).fill(200));
  await reached(9);
  begun[8]?.();
  expect((await last).status).toBe(200);
  expect(begun).toHaveLength(9);
});
