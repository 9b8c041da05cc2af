import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import pLimit, { type LimitFunction } from "p-limit";
import { InputError, NotThereError } from "../../../domain/failures.js";
import { type Markup, paragraph } from "../../../pages/parts.js";
import {
  addressOf,
  closeNow,
  isSame,
  type ListenPlace,
  listen,
  shortBody,
} from "../../../temporal/listen.js";
import { EXIT, exitCodeOf, listedError } from "../../terminal/exit-code.js";
import { commandOf, steeredBody } from "../actions.js";
import { BOARD_ICON, BOARD_SCRIPT, BOARD_STYLES, boardPage } from "../layout.js";
import { type Asked, findPage, type Page, type ReadPage } from "../page.js";
import type { SteeredCommand, Steering } from "../steer.js";
import { type Door, decide, formKey } from "./guard.js";

const MOST_CONNECTIONS = 200;
/** Each opens the lake anew, which takes a dozen megabytes; the worker may be in the same process. */
const PAGES_AT_ONCE = 8;
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
/**
 * A page of a pack has its styles in it. In a sandbox nothing of it runs or sends; its links lead on with the reader's
 * cookie, which a page without an origin would not be given.
 */
const FOREIGN_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-same-origin";
const HTML = "text/html; charset=utf-8";
const MOST_BODY_BYTES = 16 * 1024;
const FILES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/board.css": ["text/css; charset=utf-8", BOARD_STYLES],
  "/board.svg": ["image/svg+xml", BOARD_ICON],
  "/board.js": ["text/javascript; charset=utf-8", BOARD_SCRIPT],
};

interface BoardOptions extends ListenPlace {
  readonly door: Door;
  read(page: Page, asked: Asked): Promise<ReadPage>;
  /** A text that differs when a run has moved or a table has a new version. */
  pulse(): Promise<string>;
  readonly steering: Pick<Steering, "run">;
  readonly pages: readonly Page[];
  readonly lake: string;
  /** How often it looks, however many open pages ask. */
  readonly lookEveryMs: number;
  /** Told of what failed, without its details where they may be somebody's data. */
  readonly failed: (error: unknown, path: string) => void;
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
  const news = newsOf(options);
  const sent = new SentForms<SteeredCommand>();
  const line = pLimit(PAGES_AT_ONCE);
  const secret = randomBytes(24).toString("base64url");
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 },
    async (request, response) => {
      const given = await answer(options, { request, news, secret, sent, line }).catch((error) =>
        failure(options, request, error),
      );
      const { status, type, text, headers } = given;
      response.writeHead(status, { ...SECURITY_HEADERS, "content-type": type, ...headers });
      response.end(request.method === "HEAD" ? "" : text);
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  await listen(server, options, "no page is served");
  return { url: addressOf(server, options), stop: () => closeNow(server) };
}

/** What open pages compare: one look at a time, for all of them. Where it can't be read now, it is as it was. */
function newsOf({ pulse, lookEveryMs }: BoardOptions): () => Promise<string> {
  let [looked, news] = [Number.NEGATIVE_INFINITY, Promise.resolve("")];
  return () => {
    if (performance.now() - looked < lookEveryMs) return news;
    looked = Number.POSITIVE_INFINITY;
    const last = news;
    news = pulse().catch(() => last);
    news.finally(() => {
      looked = performance.now();
    });
    return news;
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly news: () => Promise<string>;
  readonly secret: string;
  readonly sent: SentForms<SteeredCommand>;
  readonly line: LimitFunction;
}

async function answer(options: BoardOptions, exchange: Exchange): Promise<Answer> {
  const { request, news, secret, sent, line } = exchange;
  const { headers, method = "GET", url = "/" } = request;
  // No name has a zero byte, and SQL can't have one.
  if (!URL.canParse(url, "http://board") || url.includes("%00"))
    return text(400, "This is no address of a page.");
  const { pathname: path, searchParams } = new URL(url, "http://board");
  if (path === "/healthz") return text(200, "ok");
  const token = searchParams.get("token") ?? undefined;
  const verdict = decide(options.door, { method, headers, token });
  if (verdict.kind === "out") {
    const asks = verdict.status === 401 && options.door.kind === "password";
    return text(verdict.status, verdict.words, asks ? { "www-authenticate": ASK_FOR_PASSWORD } : {});
  }
  if (verdict.kind === "cookie") {
    searchParams.delete("token");
    const location = `${path}${searchParams.size === 0 ? "" : `?${searchParams}`}`;
    return text(303, "", { location, "set-cookie": verdict.cookie });
  }
  const key = formKey(secret, verdict.user);
  if (path === "/act" && method === "POST") return act(options, request, { key, user: verdict.user, sent });
  if (method !== "GET" && method !== "HEAD") return text(405, "Pages are only read.");
  const file = FILES[path];
  if (file !== undefined) return { status: 200, type: file[0], text: file[1] };
  if (path === "/news") return text(200, await news());
  const asked = path.replace(/\.json$/, "").replace(/^\/index$/, "/");
  const found = findPage(options.pages, asked, searchParams);
  if (found === undefined) return says(options, path, 404, "There is no such page.");
  const read = await line(async () =>
    request.socket.destroyed ? undefined : options.read(found.page, { ...found.asked, form: key }),
  );
  if (read === undefined) return text(503, "Nobody waits for this page any more.");
  const { title, model, body, foreign } = read;
  if (foreign !== undefined) {
    const headers = { "content-security-policy": FOREIGN_POLICY };
    return { status: 200, type: HTML, text: foreign, headers };
  }
  if (path.endsWith(".json"))
    return { status: 200, type: "application/json", text: `${JSON.stringify(model)}\n` };
  return html(options, path, 200, title, body);
}

/** As many are remembered as anybody may send twice, by a second click or by loading the answer again. */
const MOST_REMEMBERED = 1_000;

/** Does what a form asks for once, however often that form is sent. */
class SentForms<Done> {
  readonly #done = new Map<string, Promise<Done>>();

  /** @returns what came of it the first time; what failed is done again */
  once(token: string, work: () => Promise<Done>): Promise<Done> {
    const known = this.#done.get(token);
    if (known !== undefined) return known;
    const done = work();
    this.#done.set(token, done);
    done.catch(() => this.#done.delete(token));
    const [oldest] = this.#done.keys();
    if (this.#done.size > MOST_REMEMBERED && oldest !== undefined) this.#done.delete(oldest);
    return done;
  }
}

const FIELDS = ["form", "once", "action", "subject", "reason"];

/** Runs the command of a button. */
async function act(
  options: BoardOptions,
  request: IncomingMessage,
  { key, user, sent }: { readonly key: string; readonly user: string } & Pick<Exchange, "sent">,
): Promise<Answer> {
  const body = await shortBody(request, MOST_BODY_BYTES);
  if (body === undefined) return text(413, "No form of the board is that long.");
  const given = new URLSearchParams(body);
  const [form = "", once = "", action = "", subject = "", reason = ""] = FIELDS.map((name) =>
    given.get(name)?.trim(),
  );
  if (!isSame(form, key)) return says(options, "/act", 403, OLD_FORM);
  const words = commandOf(action, subject, reason);
  if (words === undefined || once === "") return says(options, "/act", 400, NO_COMMAND);
  const steered = await sent.once(once, () => options.steering.run(words, user, reason));
  return html(options, "/act", 200, "Asked", steeredBody(steered));
}

function failure(options: BoardOptions, { url = "/" }: IncomingMessage, error: unknown): Answer {
  const path = url.split("?")[0] ?? "/";
  if (error instanceof NotThereError) return says(options, path, 404, error.message);
  options.failed(error, path);
  const { message, cause } = listedError(error);
  const said = message.replace(/\.?$/, ".");
  if (exitCodeOf(error) === EXIT.unreachable) return says(options, path, 503, `${said} ${LATER}`);
  // One with a cause is a refusal of our own SQL.
  const isSaid = error instanceof InputError && cause === undefined;
  return says(options, path, 500, isSaid ? `${said} ${PUT_RIGHT}` : UNREAD);
}

const ASK_FOR_PASSWORD = 'Basic realm="Nightledger", charset="UTF-8"';
const OLD_FORM =
  "This page was opened by somebody else, or before the board began again. Open it again, and repeat.";
const NO_COMMAND =
  "A button of the board says what to do, to what, and why, in one line of at most 200 characters. Nothing was done.";
const LATER = "Load this page again once it answers.";
const PUT_RIGHT =
  "Put this right, then load the page again; a variable of the environment counts once the board is started again.";
const UNREAD =
  "This page could not be read. What failed is said where the board runs; nightledger verify says whether the lake is whole.";
const TITLES: Readonly<Record<number, string>> = {
  400: "Not done",
  403: "Not done",
  404: "Not found",
  503: "Not reachable",
};

/** A page that says one thing. */
function says(options: BoardOptions, path: string, status: number, words: string): Answer {
  return html(options, path, status, TITLES[status] ?? "Failed", paragraph(words, "lead"));
}

function html(
  { pages, lake }: BoardOptions,
  path: string,
  status: number,
  title: string,
  body: Markup,
): Answer {
  const page = boardPage({ pages, lake, path, title, body });
  return { status, type: HTML, text: page };
}

function text(status: number, words: string, headers: Answer["headers"] = {}): Answer {
  return { status, type: "text/plain; charset=utf-8", text: words === "" ? "" : `${words}\n`, headers };
}
