import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
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
let news = () => Promise.resolve("");
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function opened(host = "127.0.0.1") {
  server = await startBoard({
    host,
    port: 0,
    lake: "/lake",
    pages: PAGES,
    lookEveryMs: 20,
    read: (one, asked) => one.read(undefined as never, asked),
    pulse: () => news(),
    failed: (error) => failures.push(error),
  });
  const { url } = server;
  return { ask: (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, init) };
}

async function statusFor(host: string): Promise<string> {
  const { port } = new URL(server?.url ?? "");
  const socket = connect(Number(port), "127.0.0.1");
  socket.end(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  return answer.slice(9, 12);
}

test.each([
  ["127.0.0.1:8790", "200"],
  ["10.1.2.3", "200"],
  ["[::1]:8790", "200"],
  ["localhost:8790", "200"],
  ["nightledger-ui:8790", "200"],
  ["evil.example", "403"],
  ["evil.example:8790", "403"],
  ["127.0.0.1.evil.example", "403"],
  ["localhost.", "403"],
  ["", "403"],
])(
  "a page of another name that leads here (DNS rebinding) reads nothing: Host %j is %s",
  async (host, status) => {
    await opened();
    expect(await statusFor(host)).toBe(status);
  },
);

test.each(["POST", "PUT", "DELETE", "PATCH"])("the board is only read: %s is 405", async (method) => {
  const { ask } = await opened();
  const answer = await ask("/", { method });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect((await ask("/", { method: "HEAD" })).status).toBe(200);
});

test("a zero byte, which is in no name, asks for nothing", async () => {
  const { ask } = await opened();
  for (const path of ["/?kind=%00", "/runs/%00", "/%00"]) expect((await ask(path)).status).toBe(400);
});

// The server looked for slow ones every 30 seconds, so a few hundred of them shut everybody else out.
test("who holds every place without asking for anything loses them within seconds", async () => {
  const { ask } = await opened();
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
  const { ask } = await opened();
  const answer = await ask("/");
  const html = await answer.text();
  expect(html).not.toContain("<img");
  expect(html).toContain("&lt;img src=x");
  expect(answer.headers.get("content-security-policy")).toMatch(/default-src 'none'.*script-src 'self'/);
  expect(html).not.toMatch(/<script(?! src="\/board\.js" defer><\/script>)|style="/);
  expect(await (await ask("/index.json")).json()).toEqual({ name: NAME });
});

test("an address that is none is refused, and the board goes on", async () => {
  const { ask } = await opened();
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
  const { ask } = await opened();
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
    const { ask } = await opened();
    const told = failures.length;
    const answer = await ask(`/broken/${name}`);
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(words)]);
    expect(failures.slice(told)).toMatchObject([{ name }]);
  },
);

test("open pages learn of news by one look at a time; what can't be read is as it was", async () => {
  const { ask } = await opened();
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
});

// Each page opens the lake: 200 at once took 1.6 GB of the process in which the worker may be, and none was answered.
test("a few pages are read at a time, the others in turn, and those whose reader has left not at all", async () => {
  const { ask } = await opened();
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
