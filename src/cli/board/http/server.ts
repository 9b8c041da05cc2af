import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { InputError } from "../../../domain/failures.js";
import { addressOf, closeNow, type ListenPlace, listen, shortBody } from "../../../temporal/listen.js";
import { isSame } from "../../../temporal/same-secret.js";
import { commandOf } from "../actions.js";
import { BOARD_ICON, BOARD_STYLES, boardPage, plainPage } from "../layout.js";
import { LIVE_SCRIPT } from "../live.js";
import { findPage, type Page } from "../page.js";
import type { Steering } from "../steer.js";
import { steeredBody } from "../steered.js";
import type { OpenBoard } from "../view.js";
import { Changes } from "./changes.js";
import { type Door, decide, formKey } from "./guard.js";

/** What does not happen where the board can't listen. */
const NO_BOARD = "no page is served";

const MOST_CONNECTIONS = 200;
const MOST_OPEN_PAGES = 20;
const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  // With no-referrer a browser would not say that a form is the board's own.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};
const MOST_BODY_BYTES = 16 * 1024;
const FILES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/board.css": ["text/css; charset=utf-8", BOARD_STYLES],
  "/board.svg": ["image/svg+xml", BOARD_ICON],
  "/board.js": ["text/javascript; charset=utf-8", LIVE_SCRIPT],
};

interface BoardOptions extends ListenPlace {
  readonly door: Door;
  readonly board: OpenBoard;
  readonly steering: Pick<Steering, "run">;
  readonly pages: readonly Page[];
  readonly lake: string;
  /** How often open pages learn of changes. */
  readonly lookEveryMs: number;
  /** Told of what failed, without its details where they may be somebody's data. */
  readonly failed: (error: unknown) => void;
}

export interface BoardServer {
  /** Without the token. */
  readonly url: string;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Serves the board.
 *
 * @throws InputError where the port can't be used
 */
export async function startBoard(options: BoardOptions): Promise<BoardServer> {
  const changes = new Changes(() => options.board.pulse(), options.lookEveryMs, MOST_OPEN_PAGES);
  const secret = randomBytes(24).toString("base64url");
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000 }, (request, response) => {
    answer(options, { request, response, changes, secret })
      .catch((error): Answer => failure(options, request, error))
      .then((given) => given && write(request, response, given));
  });
  server.maxConnections = MOST_CONNECTIONS;
  await listen(server, options, NO_BOARD);
  return {
    url: addressOf(server, options),
    async stop() {
      changes.close();
      await closeNow(server);
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly changes: Changes;
  readonly secret: string;
}

/** Answers a request; undefined where the answer goes on. */
async function answer(options: BoardOptions, exchange: Exchange): Promise<Answer | undefined> {
  const { request, response, changes } = exchange;
  if (!URL.canParse(request.url ?? "/", "http://board")) return text(400, "This is no address of a page.\n");
  const { pathname: path, searchParams } = new URL(request.url ?? "/", "http://board");
  const { headers, method = "GET" } = request;
  if (path === "/healthz") return text(200, "ok\n");
  const token = searchParams.get("token") ?? undefined;
  const verdict = decide(options.door, { method, headers, token });
  if (verdict.kind === "out") return refusal(options, verdict);
  if (verdict.kind === "cookie") {
    searchParams.delete("token");
    const rest = searchParams.size === 0 ? "" : `?${searchParams}`;
    return { ...text(303, ""), headers: { location: `${path}${rest}`, "set-cookie": verdict.cookie } };
  }
  const key = formKey(exchange.secret, verdict.user);
  if (path === "/act" && method === "POST") return act(options, request, { key, user: verdict.user });
  if (method !== "GET" && method !== "HEAD") return text(405, "Pages are only read.\n");
  const file = FILES[path];
  if (file !== undefined) return { status: 200, type: file[0], text: file[1] };
  if (path === "/events" && method === "GET")
    return changes.follow(response) ? undefined : text(503, `${MOST_OPEN_PAGES} pages are open already.\n`);
  const isJson = path.endsWith(".json");
  const asked = path.replace(/\.json$/, "").replace(/^\/index$/, "/");
  const found = findPage(options.pages, asked, searchParams);
  if (found === undefined)
    return html(404, plainPage(frame(options, path, "Not found"), "There is no such page."));
  const { title, model, body } = await options.board.read(found.page, {
    ...found.asked,
    form: key,
  });
  if (isJson) return { status: 200, type: "application/json", text: `${JSON.stringify(model)}\n` };
  return html(200, boardPage({ ...frame(options, path, title), body }));
}

/** Runs the command of a button. */
async function act(
  options: BoardOptions,
  request: IncomingMessage,
  { key, user }: { readonly key: string; readonly user: string },
): Promise<Answer> {
  const body = await shortBody(request, MOST_BODY_BYTES);
  if (body === undefined) return text(413, "No form of the board is that long.\n");
  const given = new URLSearchParams(body);
  const [action = "", subject = "", reason = ""] = ["action", "subject", "reason"].map((name) =>
    given.get(name)?.trim(),
  );
  if (!isSame(given.get("form") ?? "", key))
    return html(
      403,
      plainPage(
        frame(options, "/act", "Not done"),
        "This page is from before the board began again. Open it again, and repeat.",
      ),
    );
  const words = commandOf(action, subject, reason);
  if (words === undefined || reason === "")
    return html(
      400,
      plainPage(
        frame(options, "/act", "Not done"),
        "A button of the board says what to do, to what, and why. Nothing was done.",
      ),
    );
  const steered = await options.steering.run(words, user, reason);
  return html(200, boardPage({ ...frame(options, "/act", "Asked"), body: steeredBody(steered) }));
}

function failure(options: BoardOptions, { url = "/" }: IncomingMessage, error: unknown): Answer {
  const path = url.split("?")[0] ?? "/";
  // One with a cause is a refusal of our own SQL.
  if (error instanceof InputError && error.cause === undefined)
    return html(404, plainPage(frame(options, path, "Not found"), error.message));
  options.failed(error);
  const words = "This page could not be read. What failed is said where the board runs.";
  return html(500, plainPage(frame(options, path, "Failed"), words));
}

function refusal({ door }: BoardOptions, { status, words }: { status: 401 | 403; words: string }): Answer {
  const asks = status === 401 && door.kind === "password";
  const headers = asks
    ? { headers: { "www-authenticate": 'Basic realm="Nightledger", charset="UTF-8"' } }
    : {};
  return { ...text(status, `${words}\n`), ...headers };
}

function frame({ pages, lake }: BoardOptions, path: string, title: string) {
  return { pages, lake, path, title };
}

function html(status: number, page: string): Answer {
  return { status, type: "text/html; charset=utf-8", text: page };
}

function text(status: number, words: string): Answer {
  return { status, type: "text/plain; charset=utf-8", text: words };
}

function write(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, text, headers }: Answer,
): void {
  if (response.headersSent) return;
  response.writeHead(status, { ...SECURITY_HEADERS, "content-type": type, ...headers });
  response.end(request.method === "HEAD" ? "" : text);
}
