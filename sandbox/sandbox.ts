import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallCounts, RecordedRequest, RequestFilter } from "./calls.js";
import type { Fault } from "./faults/fault.js";
import type { FaultBook } from "./faults/fault-book.js";
import type { HoldPoint } from "./http/request-holds.js";
import { rosterCsv, writeRoster } from "./population/roster.js";
import { syntheticRow } from "./population/synthetic-row.js";
import type { SandboxState } from "./state.js";
import { type AdvanceOptions, type AdvanceReport, advance } from "./world/advance.js";
import { type NightlyChangesOptions, nightlyChanges } from "./world/nightly-changes.js";
import type { LinkFields } from "./world/records.js";
import {
  type AccountTotal,
  accountTotals,
  type LinkTruth,
  linkTruth,
  type TruthRow,
  truthRows,
} from "./world/truth.js";
import type { NewAccount, NewEvent, NewLink, NewUser, World } from "./world/world.js";

/** A running stand-in: its address, its world, its faults, and what it was asked. */
export class Sandbox {
  readonly #server: Server;
  readonly #state: SandboxState;
  readonly url: string;
  readonly port: number;
  readonly apiKey: string;

  /** Time as the service sees it. */
  readonly clock: SandboxState["clock"];
  /** Requests a second of each key. */
  readonly rates: SandboxState["rates"];
  readonly playbooks: SandboxState["playbooks"];
  readonly onboardings: SandboxState["onboardings"];
  /** Flows that end users finished. */
  readonly sessions: SandboxState["sessions"];
  readonly vaults: SandboxState["vaults"];
  readonly tokens: SandboxState["tokens"];
  readonly businesses: SandboxState["businesses"];
  readonly cip: SandboxState["cip"];
  readonly investments: SandboxState["investments"];
  readonly proxies: SandboxState["proxies"];
  readonly webhooks: SandboxState["webhooks"];

  constructor(server: Server, state: SandboxState, apiKey: string) {
    this.#server = server;
    this.#state = state;
    this.clock = state.clock;
    this.rates = state.rates;
    this.playbooks = state.playbooks;
    this.onboardings = state.onboardings;
    this.sessions = state.sessions;
    this.vaults = state.vaults;
    this.tokens = state.tokens;
    this.businesses = state.businesses;
    this.cip = state.cip;
    this.investments = state.investments;
    this.proxies = state.proxies;
    this.webhooks = state.webhooks;
    this.port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
    this.apiKey = apiKey;
  }

  /** The world itself, for what has no method here. */
  get world(): World {
    return this.#state.world;
  }

  addUser(user: NewUser): void {
    this.world.addUser(user);
  }

  /** Adds a link (and its user where missing); gives the link's id. */
  addLink(link: NewLink): string {
    return this.world.addLink(link).id;
  }

  /** Changes a link's record; tells it by webhook. */
  setLink(linkId: string, fields: LinkFields): void {
    this.world.setLink(linkId, fields);
    const fp_id = this.world.link(linkId).fpId;
    const timestamp = this.clock.text();
    this.webhooks.emit({
      event_kind: "service.user.bank_link_updated",
      fp_id,
      timestamp,
      bank_link_id: linkId,
    });
  }

  addAccount(linkId: string, account: NewAccount = {}): void {
    this.world.addAccount(linkId, account);
  }

  append(linkId: string, events: readonly NewEvent[]): void {
    this.world.append(linkId, events);
  }

  removeLink(linkId: string): void {
    this.world.removeLink(linkId);
  }

  refuseCursors(linkId: string): void {
    this.world.refuseCursors(linkId);
  }

  advance(options?: AdvanceOptions): AdvanceReport {
    return advance(this.world, syntheticRow, options);
  }

  nightlyChanges(options: NightlyChangesOptions): AdvanceReport {
    return nightlyChanges(this.world, syntheticRow, options);
  }

  /** Sets a fault; gives its id. */
  addFault(fault: Fault): string {
    return this.#state.faults.add(fault);
  }

  removeFault(id: string): boolean {
    return this.#state.faults.remove(id);
  }

  clearFaults(): void {
    this.#state.faults.clear();
  }

  faults(): ReturnType<FaultBook["list"]> {
    return this.#state.faults.list();
  }

  setLatency(milliseconds: number): void {
    this.#state.habits.latencyMs = milliseconds;
  }

  /**
   * Keeps the requests that come from now on waiting, before they take effect or before they are answered, until
   * the result is called.
   */
  hold(filter: RequestFilter = {}, point: HoldPoint = "before"): () => void {
    return this.#state.holds.add(filter, point);
  }

  addKey(key: string): void {
    this.#state.keys.add(key);
  }

  /** From now on calls with the key are answered 401 or 403. */
  revokeKey(key: string = this.apiKey, status: 401 | 403 = 401): void {
    this.#state.keys.revoke(key, status);
  }

  requests(filter?: RequestFilter): RecordedRequest[] {
    return this.#state.calls.requests(filter);
  }

  calls(): CallCounts {
    return this.#state.calls.counts();
  }

  clearRequests(): void {
    this.#state.calls.clear();
  }

  /** Resolves when so many more requests have come in, counted from now. */
  waitForRequests(count: number, filter?: RequestFilter): Promise<void> {
    return this.#state.calls.waitFor(count, filter);
  }

  /** What is true of a link: present rows and ordered events. @throws InputError for an unknown link. */
  truth(linkId: string): LinkTruth {
    return linkTruth(this.world.link(linkId));
  }

  /** The present rows of a link, or of all, one by one. */
  *truthRows(linkId?: string): Generator<TruthRow> {
    for (const link of linkId === undefined ? this.world.links.values() : [this.world.link(linkId)]) {
      yield* truthRows(link);
    }
  }

  /** Exact totals of every account, over all links or one. */
  totals(linkId?: string): AccountTotal[] {
    return accountTotals(this.world, linkId);
  }

  rosterCsv(): string {
    return rosterCsv(this.world);
  }

  writeRoster(file: string): Promise<void> {
    return writeRoster(this.world, file);
  }

  /** Ends every connection, also those that hang, drops what is still due, and frees the port. */
  close(): Promise<void> {
    this.clock.stop();
    this.webhooks.close();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
