import { writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { SandboxState } from "./assemble.js";
import type { RequestFilter } from "./calls.js";
import type { Fault } from "./faults/fault.js";
import { checkFault } from "./faults/fault-input.js";
import type { HoldPoint } from "./http/request-holds.js";
import { rosterCsv } from "./population/roster.js";
import { syntheticRow } from "./population/synthetic-row.js";
import { type TriggerSubject, tellLink, trigger } from "./webhooks/trigger.js";
import { type AdvanceOptions, advance } from "./world/advance.js";
import type { LogEvent } from "./world/link-log.js";
import { type NightlyChangesOptions, nightlyChanges } from "./world/nightly-changes.js";
import type { AccountFields, LinkFields, TransactionRow } from "./world/records.js";
import { accountTotals, linkTruth, type TruthRow, truthRows } from "./world/truth.js";
import type { NewAccount, NewEvent, NewLink, NewUser } from "./world/world.js";

/** A running stand-in: its address, its world, its faults, and the requests it received. */
export type Sandbox = ReturnType<typeof sandboxOf>;

/** The stand-in behind a server that listens. */
export function sandboxOf(server: Server, state: SandboxState, apiKey: string) {
  const { service, holds, keys, cursors: _, faults, calls, ...parts } = state;
  const { world, clock, webhooks } = parts;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    apiKey,
    ...parts,

    state: () => ({
      today: world.today,
      users: world.users.size,
      links: world.links.size,
      calls: calls.counts(),
    }),
    /** What is known of each link without reading its rows. */
    links: () =>
      [...world.links.values()].map(({ id, fpId, log }) => {
        return { id, fp_id: fpId, events: log.length, rows: log.liveCount };
      }),
    addUser: (user: NewUser): void => void world.addUser(user),
    /** Adds a link (and its user where missing); gives the link's id. */
    addLink: (link: NewLink): string => world.addLink(link).id,
    /** Changes a link's record and sends the webhook about it. */
    setLink(linkId: string, fields: LinkFields): void {
      world.setLink(linkId, fields);
      tellLink(parts, linkId);
    },
    /** Makes an event of a kind happen, which sends its webhook. @throws InputError */
    trigger: (kind: string, subject?: TriggerSubject) => trigger(parts, kind, subject),
    addAccount: (linkId: string, account: NewAccount = {}): void => world.addAccount(linkId, account),
    setAccount: (linkId: string, accountId: string, fields: AccountFields): void =>
      world.setAccount(linkId, accountId, fields),
    /** From now on lists of transactions leave these rows out, and nothing in the link's log says so. */
    unlist(linkId: string, ids: readonly string[]): void {
      for (const id of ids) world.link(linkId).unlisted.add(id);
    },
    /** From now on lists of transactions show these rows too, and nothing in the link's log says so. */
    listOnly(linkId: string, rows: readonly TransactionRow[]): void {
      world.link(linkId).onlyListed.push(...rows.map((row) => JSON.stringify(row)));
    },
    append: (linkId: string, events: readonly NewEvent[]): void => world.append(linkId, events),
    removeLink: (linkId: string): void => world.removeLink(linkId),
    refuseCursors: (linkId: string): void => world.refuseCursors(linkId),
    advance: (options?: AdvanceOptions) => advance(world, syntheticRow, options),
    nightlyChanges: (options: NightlyChangesOptions) => nightlyChanges(world, syntheticRow, options),

    /** Sets a fault; gives its id. */
    addFault: (fault: Fault): string => faults.add(fault),
    /** Sets faults that came from outside; gives their ids. @throws InputError before any is set */
    addFaults: (...given: Fault[]): string[] =>
      given.map((fault, index) => checkFault(fault, `faults[${index}]`)).map((fault) => faults.add(fault)),
    removeFault: (id: string): boolean => faults.remove(id),
    clearFaults: (): void => faults.clear(),
    faults: () => faults.list(),
    setLatency(milliseconds: number): void {
      service.latencyMs = milliseconds;
    },
    /** Holds the requests that come from now on, before they take effect or before their answer, until released. */
    hold: (filter: RequestFilter = {}, point: HoldPoint = "before") => holds.add(filter, point),
    addKey: (key: string): void => keys.add(key),
    /** From now on calls with the key are answered 401 or 403. */
    revokeKey: (key: string = apiKey, status: 401 | 403 = 401): void => keys.revoke(key, status),

    requests: (filter?: RequestFilter) => calls.requests(filter),
    calls: () => calls.counts(),
    clearRequests: (): void => calls.clear(),
    /** Resolves when so many more requests have come in, counted from now. */
    waitForRequests: (count: number, filter?: RequestFilter) => calls.waitFor(count, filter),
    /** The truth about a link: present rows and ordered events. @throws InputError for an unknown link. */
    truth: (linkId: string) => linkTruth(world.link(linkId)),
    /** The present rows of a link, or of all, one by one. */
    *truthRows(linkId?: string): Generator<TruthRow> {
      for (const link of linkId === undefined ? world.links.values() : [world.link(linkId)])
        yield* truthRows(link);
    },
    events: (linkId: string): Generator<LogEvent> => world.link(linkId).log.events(),
    /** Exact totals of every account, over all links or one. */
    totals: (linkId?: string) => accountTotals(world, linkId),
    rosterCsv: () => rosterCsv(world),
    writeRoster: (file: string) => writeFile(file, rosterCsv(world)),

    /** Ends every connection, hanging ones too, drops what is still scheduled, and frees the port. */
    close(): Promise<void> {
      clock.stop();
      webhooks.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
