import { createServer, type IncomingMessage } from "node:http";
import pLimit, { type LimitFunction } from "p-limit";
import { InputError, NotThereError } from "../../../domain/failures.js";
import { type Markup, paragraph } from "../../../pages/parts.js";
import { addressOf, closeNow, isOwnName, type ListenPlace, listen } from "../../../temporal/listen.js";
import { EXIT, exitCodeOf, listedError } from "../../terminal/exit-code.js";
import { BOARD_ICON, BOARD_SCRIPT, BOARD_STYLES, boardPage } from "../layout.js";
import { type Asked, findPage, type Page, type ReadPage } from "../page.js";

const MOST_CONNECTIONS = 200;
/** Each opens the lake, which takes a dozen megabytes beside the worker. */
const PAGES_AT_ONCE = 8;
const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};
const HTML = "text/html; charset=utf-8";
const FILES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/board.css": ["text/css; charset=utf-8", BOARD_STYLES],
  "/board.svg": ["image/svg+xml", BOARD_ICON],
  "/board.js": ["text/javascript; charset=utf-8", BOARD_SCRIPT],
};

interface BoardOptions extends ListenPlace {
  read(page: Page, asked: Asked): Promise<ReadPage>;
  /** Changes when a run has moved or a table has a new version. */
  pulse(): Promise<string>;
  readonly pages: readonly Page[];
  readonly lake: string;
  /** However many pages are open. */
  readonly lookEveryMs: number;
  /** Without details that may be somebody's data. */
  readonly failed: (error: unknown, path: string) => void;
}

export interface BoardServer {
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
  const line = pLimit(PAGES_AT_ONCE);
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 },
    async (request, response) => {
      const given = await answer(options, { request, news, line }).catch((error) =>
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

/** One look for all open pages; where it fails, nothing is new. */
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
  readonly line: LimitFunction;
}

async function answer(options: BoardOptions, exchange: Exchange): Promise<Answer> {
  const { request, news, line } = exchange;
  const { headers, method = "GET", url = "/" } = request;
  // SQL takes no zero byte.
  if (!URL.canParse(url, "http://board") || url.includes("%00"))
    return text(400, "This is no address of a page.");
  const { pathname: path, searchParams } = new URL(url, "http://board");
  if (path === "/healthz") return text(200, "ok");
  if (!isOwnName(headers.host ?? "", options.host)) return text(403, OTHER_NAME);
  if (method !== "GET" && method !== "HEAD")
    return text(405, "The board is only read.", { allow: "GET, HEAD" });
  const file = FILES[path];
  if (file !== undefined) return { status: 200, type: file[0], text: file[1] };
  if (path === "/news") return text(200, await news());
  const asked = path.replace(/\.json$/, "").replace(/^\/index$/, "/");
  const found = findPage(options.pages, asked, searchParams);
  if (found === undefined) return says(options, path, 404, "There is no such page.");
  const read = await line(async () =>
    request.socket.destroyed ? undefined : options.read(found.page, found.asked),
  );
  if (read === undefined) return text(503, "Nobody waits for this page any more.");
  const { title, model, body } = read;
  if (path.endsWith(".json"))
    return { status: 200, type: "application/json", text: `${JSON.stringify(model)}\n` };
  return html(options, path, 200, title, body);
}

const OTHER_NAME =
  "The board answers to an address, such as 127.0.0.1, and to names without a dot: another one may be another site's that leads here. Open it by its address; a web server before it sets Host to that.";

function failure(options: BoardOptions, { url = "/" }: IncomingMessage, error: unknown): Answer {
  const path = url.split("?")[0] ?? "/";
  if (error instanceof NotThereError) return says(options, path, 404, error.message);
  options.failed(error, path);
  const { message, cause } = listedError(error);
  const said = message.replace(/\.?$/, ".");
  if (exitCodeOf(error) === EXIT.unreachable) return says(options, path, 503, `${said} ${LATER}`);
  // One with a cause is about our own SQL.
  const isSaid = error instanceof InputError && cause === undefined;
  return says(options, path, 500, isSaid ? `${said} ${PUT_RIGHT}` : UNREAD);
}

const LATER = "Load this page again once it answers.";
const PUT_RIGHT =
  "Put this right, then load the page again; a variable of the environment counts once the board is started again.";
const UNREAD =
  "This page could not be read. What failed is said where the board runs; nightledger verify says whether the lake is whole.";
const TITLES: Readonly<Record<number, string>> = {
  404: "Not found",
  503: "Not reachable",
};

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
