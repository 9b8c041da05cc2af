import type { CallCounts, RecordedRequest, RequestFilter } from "../calls.js";
import type { Fault } from "../faults/fault.js";
import type { AdvanceOptions, AdvanceReport } from "../world/advance.js";
import type { LogEvent } from "../world/link-log.js";
import type { NightlyChangesOptions } from "../world/nightly-changes.js";
import type { LinkFields } from "../world/records.js";
import type { AccountTotal, TruthRow } from "../world/truth.js";
import type { NewAccount, NewEvent, NewLink, NewUser } from "../world/world.js";
import { REMOTE_METHODS, type Remote, type RemotePart } from "./parts.js";

/** What is known of a link without reading its rows. */
export interface LinkSummary {
  readonly id: string;
  readonly fp_id: string;
  readonly events: number;
  readonly rows: number;
}

/** Controls a stand-in in another process: the methods of `Sandbox` and of its parts over `/_sandbox/…`. */
export class SandboxControl {
  readonly url: string;
  readonly clock = this.#part("clock");
  readonly rates = this.#part("rates");
  readonly playbooks = this.#part("playbooks");
  readonly onboardings = this.#part("onboardings");
  readonly sessions = this.#part("sessions");
  readonly vaults = this.#part("vaults");
  readonly tokens = this.#part("tokens");
  readonly businesses = this.#part("businesses");
  readonly cip = this.#part("cip");
  readonly investments = this.#part("investments");
  readonly proxies = this.#part("proxies");
  readonly webhooks = this.#part("webhooks");

  constructor(url: string) {
    this.url = url;
  }

  links = () => this.#json<LinkSummary[]>("GET", "links");
  addUser = (user: NewUser) => this.#json("POST", "users", {}, user);
  addLink = (link: Omit<NewLink, "base">) => this.#json<{ id: string }>("POST", "links", {}, link);
  setLink = (link: string, fields: LinkFields) => this.#json("PATCH", "links", { link }, fields);
  removeLink = (link: string) => this.#json("DELETE", "links", { link });
  addAccount = (link: string, account: NewAccount = {}) => this.#json("POST", "accounts", { link }, account);
  append = (link: string, events: readonly NewEvent[]) => this.#json("POST", "events", { link }, events);
  refuseCursors = (link: string) => this.#json("POST", "refuse-cursors", { link });
  advance = (options: AdvanceOptions = {}) => this.#json<AdvanceReport>("POST", "advance", {}, options);
  nightlyChanges = (options: NightlyChangesOptions) =>
    this.#json<AdvanceReport>("POST", "nightly-changes", {}, options);
  /** Gives the ids of the faults. */
  addFaults = (...faults: Fault[]) => this.#json<string[]>("POST", "faults", {}, faults);
  removeFault = (id: string) => this.#json("DELETE", "faults", { id });
  clearFaults = () => this.#json("DELETE", "faults");
  faults = () => this.#json<(Fault & { id: string; met: number; fired: number })[]>("GET", "faults");
  setLatency = (ms: number) => this.#json("POST", "latency", {}, { ms });
  addKey = (key: string) => this.#json("POST", "keys", {}, { key });
  revokeKey = (key: string, status: 401 | 403 = 401) => this.#json("POST", "revoke-key", {}, { key, status });
  requests = (filter: RequestFilter = {}) => this.#json<RecordedRequest[]>("GET", "requests", filter);
  clearRequests = () => this.#json("DELETE", "requests");
  calls = () => this.#json<CallCounts>("GET", "calls");
  /** Resolves when so many more requests have come in, counted from when the stand-in hears of it. */
  waitForRequests = (count: number, filter: RequestFilter = {}) =>
    this.#json("POST", "wait", {}, { count, filter });
  totals = (link?: string) => this.#json<AccountTotal[]>("GET", "totals", link === undefined ? {} : { link });
  truthRows = (link?: string) => this.#lines<TruthRow>("truth", link === undefined ? {} : { link });
  events = (link: string) => this.#lines<LogEvent>("events", { link });
  rosterCsv = async () => (await this.#ask("GET", "roster")).text();

  #part<P extends RemotePart>(part: P): Remote<P> {
    const methods = REMOTE_METHODS[part].map((method) => {
      const call = async (...args: unknown[]) =>
        ((await this.#json("POST", `${part}/${method}`, {}, args)) as { result?: unknown }).result;
      return [method, call];
    });
    return Object.fromEntries(methods) as Remote<P>;
  }

  async #json<T = unknown>(method: string, path: string, query: object = {}, body?: unknown): Promise<T> {
    return (await (await this.#ask(method, path, query, body)).json()) as T;
  }

  async *#lines<T>(path: string, query: object): AsyncGenerator<T> {
    const response = await this.#ask("GET", path, query);
    if (!response.body) return;
    // Not readline: it also splits at U+2028, which JSON texts may hold.
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of response.body) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as T;
    }
  }

  async #ask(method: string, path: string, query: object = {}, body?: unknown): Promise<Response> {
    const url = new URL(`/_sandbox/${path}`, this.url);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(url, init);
    if (!response.ok) {
      throw new Error(`stand-in: ${method} ${path} answered ${response.status}: ${await response.text()}`);
    }
    return response;
  }
}
