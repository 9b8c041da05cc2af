import { createHash } from "node:crypto";
import { InputError } from "../../src/domain/failures.js";
import { EVENT_KINDS } from "../../src/domain/service/event-kind.js";
import type { Behaviour } from "../behaviour.js";
import { fits } from "../calls.js";
import type { Clock } from "../clock.js";
import type { EffectOf, FaultKind } from "../faults/fault.js";
import type { FaultStore } from "../faults/fault-store.js";
import { seededId } from "../seeded-id.js";
import { Random } from "../world/random.js";
import { checkSecrets, type Endpoint, endpointOf, type NewEndpoint } from "./endpoint.js";
import { behavingEvent, type EventPayload, type MessageFilter, type WebhookMessage } from "./event.js";
import { WebhookSender } from "./webhook-sender.js";

/** How webhooks are sent. */
export interface WebhookOptions {
  endpoints?: readonly NewEndpoint[];
  /** Milliseconds after each failed attempt until the next; none after the last. Default: 1 s, 5 s, 30 s. */
  retryMs?: readonly number[];
  /** Milliseconds for an answer; default 5 s. */
  timeoutMs?: number;
  /** Whether events are of the live mode; default test. */
  live?: boolean;
}

/** In which order what was held back goes out, and what of it never does. */
export interface ReleaseOptions {
  order?: "sent" | "reverse" | "shuffled";
  seed?: number;
  /** Ids of messages to lose. */
  drop?: readonly string[];
}

/** Makes webhooks, holds them back, and sends, loses and repeats them. */
export class WebhookStore {
  readonly #live: boolean;
  readonly #sender: WebhookSender;
  readonly #endpoints: Endpoint[] = [];
  readonly #messages: WebhookMessage[] = [];
  #held: WebhookMessage[] | undefined;
  #overtaken: WebhookMessage[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly faults: FaultStore,
    private readonly seed: string | number,
    private readonly behaves: ReadonlySet<Behaviour>,
    options: WebhookOptions = {},
  ) {
    this.#live = options.live ?? false;
    this.#sender = new WebhookSender(
      clock,
      options.retryMs ?? [1_000, 5_000, 30_000],
      options.timeoutMs ?? 5_000,
      behaves.has("svix-headers") ? "svix" : "webhook",
    );
    for (const endpoint of options.endpoints ?? []) this.register(endpoint);
  }

  /** Registers an endpoint; gives its id and secrets. @throws InputError */
  register(endpoint: NewEndpoint): { id: string; secrets: readonly string[] } {
    const id = `ep_${this.#endpoints.length + 1}`;
    const key = createHash("sha256").update(`${this.seed}/${id}`).digest("base64");
    const made = endpointOf(id, endpoint, `whsec_${key}`);
    this.#endpoints.push(made);
    return { id, secrets: made.secrets };
  }

  unregister(id: string): void {
    const index = this.#endpoints.findIndex((endpoint) => endpoint.id === id);
    if (index >= 0) this.#endpoints.splice(index, 1);
  }

  /** Changes an endpoint's secrets; each signs. @throws InputError */
  setSecrets(id: string, secrets: readonly string[]): void {
    checkSecrets(secrets);
    const endpoint = this.#endpoints.find((one) => one.id === id);
    if (!endpoint) throw new InputError(`webhook endpoint ${id} is not there: register it first`);
    endpoint.secrets = secrets;
  }

  /** Sends an event; gives the message's id. The same name gives the same id again. @throws InputError */
  emit(event: EventPayload, name?: string): string {
    const kind = String(event.event_kind);
    if (!(EVENT_KINDS as readonly string[]).includes(kind)) {
      throw new InputError(`webhook: no kind ${kind}; accepted are ${EVENT_KINDS.join(", ")}`);
    }
    const fp_id = typeof event.fp_id === "string" ? event.fp_id : undefined;
    const live = this.#fault("webhook_wrong_mode", kind, fp_id) ? !this.#live : this.#live;
    const message: WebhookMessage = {
      id: seededId("msg_", this.seed, name ?? this.#messages.length),
      event_kind: kind,
      fp_id,
      at: this.clock.text(),
      payload: {
        is_live: live,
        ...(this.behaves.has("other-prefix") ? behavingEvent(event) : event),
        ...(live === this.#live ? {} : { is_live: live }),
      },
      state: "waiting",
      attempts: [],
    };
    this.#messages.push(message);
    this.#dispatch(message);
    return message.id;
  }

  messages(filter: MessageFilter = {}): WebhookMessage[] {
    return this.#messages.filter((message) => fits(message, filter));
  }

  /** Holds events back from now on. */
  hold(): void {
    this.#held ??= [];
  }

  /** Sends the events that were held back, and stops holding. */
  release({ order = "sent", seed = 1, drop = [] }: ReleaseOptions = {}): void {
    const held = [...(this.#held ?? []), ...this.#overtaken];
    this.#held = undefined;
    this.#overtaken = [];
    if (order === "reverse") held.reverse();
    if (order === "shuffled") shuffle(held, new Random(seed));
    for (const message of held) {
      if (drop.includes(message.id)) message.state = "lost";
      else this.#send(message);
    }
  }

  /** Sends a message once more, under its id. @throws InputError */
  resend(id: string): void {
    const message = this.#messages.findLast((one) => one.id === id);
    if (!message) throw new InputError(`webhook ${id} is not there: see the list of messages`);
    this.#send(message);
  }

  /** Resolves when no delivery is under way; retries that wait for the clock do not count. */
  settled(): Promise<void> {
    return this.#sender.settled();
  }

  /** Aborts deliveries that are under way. */
  close(): void {
    this.#sender.close();
  }

  #dispatch(message: WebhookMessage): void {
    const { event_kind: kind, fp_id } = message;
    if (this.#fault("webhook_lost", kind, fp_id)) {
      message.state = "lost";
      return;
    }
    if (this.#held) {
      this.#held.push(message);
      return;
    }
    if (this.#fault("webhook_reordered", kind, fp_id)) {
      this.#overtaken.push(message);
      return;
    }
    const late = this.#fault("webhook_late", kind, fp_id);
    if (late) this.clock.after(late.ms, () => this.#send(message));
    else this.#send(message);
    const overtaken = this.#overtaken;
    this.#overtaken = [];
    for (const one of overtaken) this.#send(one);
  }

  #send(message: WebhookMessage): void {
    const { event_kind: kind, fp_id } = message;
    const copies = this.#fault("webhook_repeated", kind, fp_id);
    const forged = this.#fault("webhook_bad_signature", kind, fp_id) !== undefined;
    const stale = this.#fault("webhook_stale", kind, fp_id);
    const changes = { forged, ageSeconds: stale ? (stale.seconds ?? 600) : 0 };
    const times = copies ? 1 + (copies.copies ?? 1) : 1;
    const endpoints = this.#endpoints.filter(({ events }) => events?.includes(kind) ?? true);
    if (endpoints.length === 0) message.state = "no_endpoint";
    for (const endpoint of endpoints) {
      for (let time = 0; time < times; time++) this.#sender.send(message, endpoint, changes);
    }
  }

  #fault<K extends FaultKind>(kind: K, operation: string, fpId: string | undefined): EffectOf<K> | undefined {
    const target = { operation, user: fpId, business: fpId, link: undefined, page: 0, cursor: false };
    return this.faults.fire(kind, target);
  }
}

function shuffle(list: unknown[], random: Random): void {
  for (let index = list.length - 1; index > 0; index--) {
    const other = random.int(index + 1);
    [list[index], list[other]] = [list[other], list[index]];
  }
}
