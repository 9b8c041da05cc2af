import { InputError } from "../../src/domain/failures.js";
import { EVENT_KINDS, type EventKind } from "../../src/domain/service/event-kind.js";
import { nearestOf } from "../../src/domain/words/nearest.js";
import type { SandboxState } from "../assemble.js";
import { isTerminal, type Onboarding } from "../onboarding/onboarding.js";
import { syntheticRow } from "../population/synthetic-row.js";
import { advance, isConnected } from "../world/advance.js";

type Parts = Omit<SandboxState, "service" | "holds" | "keys" | "cursors" | "faults" | "calls">;

/** Whom an event is about, a user or business, and which bank link; left out: the first one that suits. */
export interface TriggerSubject {
  user?: string;
  link?: string;
}

type Trigger = readonly [
  what: string,
  /** Makes it happen, and says what happened. */
  happen: (parts: Parts, subject: TriggerSubject, kind: EventKind) => string,
];

/** What makes an event of each kind happen, first in words. */
export const TRIGGERS: Readonly<Record<EventKind, Trigger>> = {
  "service.onboarding.completed": [
    "an open onboarding passes; where none is open, a new one",
    (parts, { user }) => settle(parts, user, "pass"),
  ],
  "service.onboarding.incomplete": [
    "an open onboarding becomes incomplete; where none is open, a new one",
    (parts, { user }) => settle(parts, user, "incomplete"),
  ],
  "service.watchlist_check.completed": unseen("a watchlist check has run"),
  "service.user.info_requested": unseen("a reviewer asks for more information"),
  "service.user.manual_review": [
    "a reviewer sets the newest onboarding that passed to fail, another one to pass",
    (parts, { user }) => {
      const newest = all(parts, user).findLast(({ running }) => !running);
      if (newest === undefined)
        throw new InputError(
          "nobody has an onboarding to review: trigger service.onboarding.completed first",
        );
      const turned = newest.status === "pass" ? "fail" : "pass";
      const { id, entity_id, status } = parts.onboardings.review(newest.id, turned);
      return `a reviewer set ${id} of ${entity_id} to ${status}`;
    },
  ],
  "service.vault.updated": [
    "custom.triggered_at is written into a vault",
    (parts, { user }) => {
      const id = entityOf(parts, user);
      parts.vaults.write(id, { "custom.triggered_at": parts.clock.text() });
      return `custom.triggered_at was written into the vault of ${id}`;
    },
  ],
  "service.user.bank_link_updated": [
    "a day passes on one connected bank link: transactions come, change and go",
    (parts, { user, link }) => {
      const suits = [...parts.world.links.values()].find(
        (one) => (link === undefined ? isConnected(one) : one.id === link) && (user ?? one.fpId) === one.fpId,
      );
      if (suits === undefined) throw new InputError("no connected bank link suits; nothing was done");
      const { today, ...counts } = advance(parts.world, syntheticRow, { links: [suits.id] });
      tellLink(parts, suits.id);
      return `${today} on ${suits.id}: transactions ${JSON.stringify(counts)}`;
    },
  ],
  "service.entity.entity_status_set": unseen("a custom status is set"),
};

/** Makes an event happen, and waits until its webhooks have been sent once. @throws InputError */
export async function trigger(parts: Parts, event: string, subject: TriggerSubject = {}) {
  const kind = EVENT_KINDS.find((one) => one === event);
  if (kind === undefined) {
    const near = EVENT_KINDS.find((one) => one.includes(event)) ?? nearestOf(EVENT_KINDS, event, 12);
    const meant = near === undefined ? "" : ` Did you mean ${near}?`;
    throw new InputError(`there is no event ${event}.${meant} Accepted: ${EVENT_KINDS.join(", ")}`);
  }
  const before = parts.webhooks.messages().length;
  const happened = TRIGGERS[kind][1](parts, subject, kind);
  await parts.webhooks.settled();
  return { happened, messages: parts.webhooks.messages().slice(before) };
}

/** Says by webhook that a bank link has changed. */
export function tellLink({ world, webhooks, clock }: Parts, id: string): void {
  const about = { fp_id: world.link(id).fpId, timestamp: clock.text(), bank_link_id: id };
  webhooks.emit({ event_kind: "service.user.bank_link_updated", ...about });
}

/** An event of which no operation shows anything. */
function unseen(what: string): Trigger {
  return [
    `${what}; no operation shows it, so there is only the webhook`,
    (parts, { user }, event_kind) => {
      const fp_id = entityOf(parts, user);
      parts.webhooks.emit({ event_kind, fp_id, timestamp: parts.clock.text() });
      return `${fp_id}: ${what}`;
    },
  ];
}

function entityOf({ world, businesses }: Parts, user = [...world.users.keys()][0]): string {
  if (user !== undefined && (world.users.has(user) || businesses.has(user))) return user;
  throw new InputError(`there is no user or business ${user ?? ""}; nothing was done`);
}

function all({ onboardings }: Parts, user: string | undefined): readonly Onboarding[] {
  return user === undefined ? onboardings.list() : onboardings.of(user);
}

/** Gives the first open onboarding a status, or begins one that has it at once. */
function settle(parts: Parts, user: string | undefined, status: "pass" | "incomplete"): string {
  const { onboardings, world, businesses, playbooks } = parts;
  const isOpen = (one: Onboarding) => !one.running && !isTerminal(one.status) && one.status !== status;
  let one = all(parts, user).find(isOpen);
  if (one === undefined) {
    const entityId = entityOf(parts, user);
    const business = businesses.find(entityId);
    const entityExternalId = business ? business.external_id : world.users.get(entityId)?.externalId;
    const { playbook, version } = playbooks.find(business ? "pb_kyb" : "pb_kyc");
    const decided = { ...playbook, outcomes: { [status]: 1 }, delayMs: 0 };
    const run = { entityId, entityExternalId, playbook: decided, version, idempotencyId: undefined };
    one = onboardings.start({ ...run, data: {}, synchronous: true });
  }
  // A script may have decided otherwise.
  if (one.status !== status) onboardings.finish(one.id, status);
  return `onboarding ${one.id} of ${one.entity_id} is ${status}`;
}
