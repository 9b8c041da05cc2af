import { expect, test } from "vitest";
import { decide, formKey } from "../../../../src/cli/board/http/guard.js";

const HOST = "127.0.0.1:8790";
const DOOR = { kind: "token", token: "the-token", user: "ada" } as const;

function knock(
  headers: Record<string, string>,
  { method = "GET", token }: { method?: string; token?: string } = {},
) {
  return { method, headers: { host: HOST, ...headers }, token };
}

function cookie(): string {
  const verdict = decide(DOOR, knock({}, { token: "the-token" }));
  if (verdict.kind !== "cookie") throw new Error(`not let in: ${JSON.stringify(verdict)}`);
  return verdict.cookie.split(";")[0] ?? "";
}

test("the token becomes a cookie that neither scripts nor other sites' links have, and that holds no token", () => {
  expect(decide(DOOR, knock({}, { token: "the-token" }))).toMatchObject({
    cookie: expect.stringMatching(/^nightledger_board_8790=\S+; HttpOnly; SameSite=Strict; Path=\/$/),
  });
  expect(cookie()).not.toContain("the-token");
  expect(decide(DOOR, knock({ cookie: cookie() }))).toEqual({ kind: "in", user: "ada" });
});

test.for([
  ["no cookie", knock({}), 401],
  ["a wrong token", knock({}, { token: "the-tokem" }), 401],
  ["a cookie of another process", knock({ cookie: "nightledger_board_8790=abc" }), 401],
  ["another site's name that leads here", knock({ host: "evil.example:8790", cookie: cookie() }), 403],
  ["a name that only begins like ours", knock({ host: "localhost.evil.example", cookie: cookie() }), 403],
  ["another site that reads", knock({ origin: "https://evil.example", cookie: cookie() }), 403],
  ["another port of this machine", knock({ origin: "http://127.0.0.1:9", cookie: cookie() }), 403],
  ["a form of another site", knock({ origin: "null", cookie: cookie() }, { method: "POST" }), 403],
  ["a form that does not say where it is from", knock({ cookie: cookie() }, { method: "POST" }), 403],
] as const)("%s stays out", ([, given, status]) => {
  expect(decide(DOOR, given)).toMatchObject({ kind: "out", status });
});

test("a form of our own page comes in", () => {
  const given = knock({ origin: `http://${HOST}`, cookie: cookie() }, { method: "POST" });
  expect(decide(DOOR, given)).toEqual({ kind: "in", user: "ada" });
});

test("a password lets in whoever gives it, by the name that is given, under any host name", () => {
  const door = { kind: "password", password: "a:long:password" } as const;
  const basic = (text: string) => ({ host: "board.example", authorization: `Basic ${btoa(text)}` });
  expect(decide(door, knock(basic("bo:a:long:password")))).toEqual({ kind: "in", user: "bo" });
  expect(decide(door, knock(basic("bo:a")))).toMatchObject({ kind: "out", status: 401 });
  expect(decide(door, knock({}, { token: "a:long:password" }))).toMatchObject({ kind: "out", status: 401 });
});

test("behind a proxy its header says who it is", () => {
  const door = { kind: "header", header: "X-Forwarded-User" } as const;
  expect(decide(door, knock({ "x-forwarded-user": "cy" }))).toEqual({ kind: "in", user: "cy" });
  expect(decide(door, knock({}))).toMatchObject({ kind: "out", status: 401 });
  // One that names itself in Host makes every form look like another site's.
  const form = knock({ "x-forwarded-user": "cy", origin: "https://board.example" }, { method: "POST" });
  expect(decide(door, form)).toMatchObject({ status: 403, words: expect.stringContaining("pass on Host") });
});

test("a form's key is of one user and one process", () => {
  expect(formKey("s", "ada")).toBe(formKey("s", "ada"));
  expect(formKey("s", "ada")).not.toBe(formKey("s", "bob"));
  expect(formKey("s", "ada")).not.toBe(formKey("t", "ada"));
});
