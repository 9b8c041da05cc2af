import { InputError } from "../../src/domain/failures.js";
import { BankLink } from "./bank-link.js";
import type { ChangeType, GeneratedRows } from "./link-log.js";
import {
  type AccountFields,
  accountRecord,
  type LinkFields,
  linkRecord,
  type TransactionRow,
  transactionRow,
} from "./records.js";

/** What becomes of a list between two of its pages. */
export type HowAListMoves = "insert" | "remove" | "replace";

export interface User {
  readonly fpId: string;
  readonly externalId: string | undefined;
  readonly text: string;
  readonly linkIds: string[];
}

export interface NewUser {
  fp_id: string;
  external_id?: string;
  /** The JSON to serve for the user, byte for byte. */
  raw?: string;
}

export interface NewAccount {
  id?: string;
  fields?: AccountFields;
  /** The JSON to serve for the account, byte for byte. */
  raw?: string;
}

export interface NewLink {
  fp_id: string;
  id?: string;
  fields?: LinkFields;
  /** The JSON to serve for the link, byte for byte. */
  raw?: string;
  accounts?: NewAccount[];
  /** History made when it is asked for, before every appended event. */
  base?: GeneratedRows;
}

/** An event to append: a row, or the JSON text to serve byte for byte (`id` where it can't be read from it). */
export type NewEvent =
  | { change: "created" | "updated"; row: TransactionRow }
  | { change: ChangeType; raw: string; id?: string }
  | { change: "removed"; id: string };

/** Everything the service knows: users, links, accounts, logs, and the present day. */
export class World {
  readonly users = new Map<string, User>();
  readonly links = new Map<string, BankLink>();
  /** Users and businesses by the customer's own id, which only one of them can have. */
  readonly externalIds = new Map<string, string>();
  today: string;

  constructor(
    today = "2026-11-20",
    /** The time of a refresh, where each refresh replaces the pending rows of its link. */
    readonly refreshTime?: () => string,
  ) {
    this.today = today;
  }

  /** @throws InputError if the user is there already. */
  addUser({ fp_id, external_id, raw }: NewUser): User {
    if (this.users.has(fp_id))
      throw new InputError(`user ${fp_id} is in the world already: choose another fp_id`);
    const record = { id: fp_id, ...(external_id === undefined ? {} : { external_id }), is_live: false };
    const user = { fpId: fp_id, externalId: external_id, text: raw ?? JSON.stringify(record), linkIds: [] };
    this.users.set(fp_id, user);
    if (external_id !== undefined && !this.externalIds.has(external_id))
      this.externalIds.set(external_id, fp_id);
    return user;
  }

  /** Adds a link, and its user where that is not there yet. @throws InputError if the link is there already. */
  addLink({ fp_id, fields, raw, base, accounts = [], ...rest }: NewLink): BankLink {
    const user = this.users.get(fp_id) ?? this.addUser({ fp_id });
    const id = rest.id ?? `link_${fp_id}_${user.linkIds.length + 1}`;
    if (this.links.has(id)) throw new InputError(`link ${id} is in the world already: choose another id`);
    const link = new BankLink(id, fp_id, raw ?? JSON.stringify(linkRecord(id, fp_id, fields)), base);
    this.links.set(id, link);
    user.linkIds.push(id);
    for (const account of accounts) this.addAccount(id, account);
    return link;
  }

  /** Changes fields of the record served for a link, such as `state` and `error_code`. */
  setLink(linkId: string, fields: LinkFields): void {
    const link = this.link(linkId);
    link.text = JSON.stringify({ ...JSON.parse(link.text), ...fields });
  }

  addAccount(linkId: string, { id, fields, raw }: NewAccount): void {
    const link = this.link(linkId);
    const accountId = id ?? `acc_${linkId}_${link.accounts.length + 1}`;
    link.accounts.push({
      id: accountId,
      text: raw ?? JSON.stringify(accountRecord(accountId, linkId, fields)),
    });
  }

  /** Changes fields of the record served for an account, such as `balances`. @throws InputError if there is none */
  setAccount(linkId: string, accountId: string, fields: AccountFields): void {
    const { accounts } = this.link(linkId);
    const at = accounts.findIndex(({ id }) => id === accountId);
    const account = accounts[at];
    if (account === undefined) throw new InputError(`account ${accountId} is not in link ${linkId}: add it`);
    accounts[at] = { id: accountId, text: JSON.stringify({ ...JSON.parse(account.text), ...fields }) };
  }

  append(linkId: string, events: readonly NewEvent[]): void {
    const link = this.link(linkId);
    for (const event of events) {
      const text =
        "row" in event ? JSON.stringify(event.row) : "raw" in event ? event.raw : JSON.stringify(event.id);
      const named = "row" in event ? event.row.transaction_id : event.id;
      const id = named ?? idIn(text) ?? `unreadable ${link.log.length}`;
      link.log.append({ change: event.change, id, text });
    }
  }

  /** A link's first row goes, or another comes: lists that are read by pages move under their reader. */
  moveList(linkId: string, how: HowAListMoves): void {
    const link = this.link(linkId);
    const [first] = link.log.liveRows();
    if (how !== "remove") {
      const transaction_id = link.newTransactionId();
      this.append(linkId, [{ change: "created", row: transactionRow({ transaction_id, date: this.today }) }]);
    }
    if (how !== "insert" && first) this.append(linkId, [{ change: "removed", id: first.id }]);
  }

  /** Takes the link away: lists no longer show it, calls about it are answered 404. */
  removeLink(linkId: string): void {
    const { fpId } = this.link(linkId);
    this.links.delete(linkId);
    const { linkIds } = this.users.get(fpId)!;
    linkIds.splice(linkIds.indexOf(linkId), 1);
  }

  /** From now on every cursor given out so far for the link is refused with 400. */
  refuseCursors(linkId: string): void {
    this.link(linkId).cursorEpoch++;
  }

  linksOf(fpId: string): BankLink[] {
    return (this.users.get(fpId)?.linkIds ?? []).map((id) => this.links.get(id)!);
  }

  /** @throws InputError if there is no such link. */
  link(linkId: string): BankLink {
    const link = this.links.get(linkId);
    if (!link) throw new InputError(`link ${linkId} is not in the world: add it, or see its links`);
    return link;
  }
}

/** The id in a row's (or a removed id's) JSON text; `undefined` where it holds none. */
function idIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const id = typeof value === "object" && value ? (value as Record<string, unknown>).transaction_id : value;
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
