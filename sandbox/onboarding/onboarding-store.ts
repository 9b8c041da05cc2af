import { InputError } from "../../src/domain/failures.js";
import type { OnboardingStatus } from "../../src/domain/service/onboarding-status.js";
import type { Clock } from "../clock.js";
import { seededId } from "../seeded-id.js";
import type { WebhookStore } from "../webhooks/webhook-store.js";
import { isTerminal, type Onboarding, onboardingEvent } from "./onboarding.js";
import { decide, type Outcome } from "./outcome.js";
import type { Playbook, PlaybookStore } from "./playbook-store.js";

/** Which run to begin. */
interface NewRun {
  readonly entityId: string;
  readonly entityExternalId: string | undefined;
  /**
   * Names the run: the same one on the same playbook begins nothing new
   * (docs/reference/service.md, "Onboarding creation").
   */
  readonly idempotencyId: string | undefined;
  readonly playbook: Playbook;
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly synchronous: boolean;
}

/** Every onboarding: starts, decides and continues them, and sends their webhooks. */
export class OnboardingStore {
  readonly #byId = new Map<string, Onboarding>();
  readonly #byEntity = new Map<string, Onboarding[]>();
  readonly #byIdempotencyId = new Map<string, Onboarding>();
  readonly #waiting = new Map<string, (() => void)[]>();
  #tokens = 0;

  constructor(
    private readonly clock: Clock,
    private readonly playbooks: PlaybookStore,
    private readonly webhooks: WebhookStore,
    private readonly seed: string | number,
  ) {}

  /** Begins a run, or gives the one that has the idempotency id on that playbook, of whatever version. */
  start(run: NewRun): Onboarding {
    const { playbook, entityId, idempotencyId } = run;
    const name = idempotencyId === undefined ? undefined : JSON.stringify([idempotencyId, playbook.key]);
    const known = name === undefined ? undefined : this.#byIdempotencyId.get(name);
    if (known) {
      if (known.status === "incomplete" && !known.running) this.#continue(known, playbook);
      return known;
    }
    const attempt = this.of(entityId).filter((one) => one.playbook_key === playbook.key).length + 1;
    const onboarding = this.#begin(run, attempt);
    if (name !== undefined) this.#byIdempotencyId.set(name, onboarding);
    const seed = `${this.seed}/${playbook.key}/${entityId}/${attempt}`;
    const outcome = decide(playbook, this.playbooks.take(entityId, playbook.key), run.data, seed);
    if (run.synchronous && outcome.delayMs === 0) this.#decide(onboarding, outcome, playbook);
    else this.clock.after(outcome.delayMs, () => this.#decide(onboarding, outcome, playbook));
    return onboarding;
  }

  /** Resolves when the execution has ended, or after so many milliseconds. */
  waitFor(onboarding: Onboarding, ms: number): Promise<void> {
    if (!onboarding.running) return Promise.resolve();
    return new Promise((resolve) => {
      const callOff = this.clock.after(ms, resolve);
      const ended = () => {
        callOff();
        resolve();
      };
      this.#waiting.set(onboarding.id, [...(this.#waiting.get(onboarding.id) ?? []), ended]);
    });
  }

  /** An entity's onboardings, the oldest first. */
  of(entityId: string): readonly Onboarding[] {
    return this.#byEntity.get(entityId) ?? [];
  }

  find(id: string): Onboarding | undefined {
    return this.#byId.get(id);
  }

  list(): Onboarding[] {
    return [...this.#byId.values()];
  }

  /** The end user goes through what was missing: the run gets a status. @throws InputError */
  finish(id: string, status: OnboardingStatus = "pass"): Onboarding {
    const onboarding = this.#known(id);
    onboarding.continuation = undefined;
    if (status === "incomplete")
      this.#continue(onboarding, this.playbooks.find(onboarding.playbook_key).playbook);
    this.#setStatus(onboarding, status);
    return onboarding;
  }

  /** A reviewer decides: the status becomes the given one, whatever it was. @throws InputError */
  review(id: string, status: OnboardingStatus, reviewer = "reviewer@example.com"): Onboarding {
    const onboarding = this.#known(id);
    const open = !isTerminal(onboarding.status);
    onboarding.requires_manual_review = false;
    onboarding.reviewed_by = reviewer;
    onboarding.status = status;
    this.#emit("service.user.manual_review", onboarding);
    if (open && isTerminal(status)) this.#emit("service.onboarding.completed", onboarding);
    return onboarding;
  }

  /** Who reviewed an entity last. */
  reviewerOf(entityId: string): string | undefined {
    return this.of(entityId).findLast((one) => one.reviewed_by !== undefined)?.reviewed_by;
  }

  #begin(run: NewRun, attempt: number): Onboarding {
    const { entityId, playbook, version, data, entityExternalId } = run;
    const onboarding: Onboarding = {
      id: seededId("ob_", this.seed, entityId, playbook.key, attempt),
      entity_id: entityId,
      entity_external_id: entityExternalId,
      kind: playbook.kind,
      playbook_key: playbook.key,
      playbook_version: version,
      timestamp: this.clock.text(),
      data,
      // What a queued run shows is not documented; `pending` is what it has for "no decision yet".
      status: "pending",
      running: true,
      requires_manual_review: false,
    };
    this.#byId.set(onboarding.id, onboarding);
    const others = this.#byEntity.get(entityId);
    if (others) others.push(onboarding);
    else this.#byEntity.set(entityId, [onboarding]);
    return onboarding;
  }

  #decide(onboarding: Onboarding, outcome: Outcome, playbook: Playbook): void {
    onboarding.running = false;
    onboarding.settled_at = this.clock.text();
    onboarding.requires_manual_review = outcome.requiresManualReview;
    onboarding.error_message = outcome.errorMessage;
    if (outcome.outputDelayMs === 0) onboarding.output = outcome.output;
    else this.clock.after(outcome.outputDelayMs, () => Object.assign(onboarding, { output: outcome.output }));
    if (outcome.status === "incomplete") this.#continue(onboarding, playbook);
    this.#setStatus(onboarding, outcome.status);
    const { settles } = outcome;
    const decideLater = (status: OnboardingStatus) => {
      // A reviewer may have been faster: a decision is not changed.
      if (onboarding.status === "pending") this.#setStatus(onboarding, status);
    };
    if (settles) this.clock.after(settles.afterMs, () => decideLater(settles.status));
    for (const resolve of this.#waiting.get(onboarding.id) ?? []) resolve();
    this.#waiting.delete(onboarding.id);
  }

  #setStatus(onboarding: Onboarding, status: OnboardingStatus): void {
    onboarding.status = status;
    if (status === "incomplete") this.#emit("service.onboarding.incomplete", onboarding);
    if (isTerminal(status)) this.#emit("service.onboarding.completed", onboarding);
  }

  #continue(onboarding: Onboarding, { continuationMs }: Playbook): void {
    onboarding.continuation = {
      token: seededId("obtok_", this.seed, onboarding.id, ++this.#tokens),
      expiresAt: this.clock.now() + continuationMs,
    };
  }

  #emit(
    kind: "service.onboarding.completed" | "service.onboarding.incomplete" | "service.user.manual_review",
    onboarding: Onboarding,
  ): void {
    this.webhooks.emit(onboardingEvent(kind, onboarding, this.clock.text()));
  }

  #known(id: string): Onboarding {
    const onboarding = this.#byId.get(id);
    if (!onboarding) throw new InputError(`onboarding ${id} is not there: see the list of onboardings`);
    return onboarding;
  }
}
