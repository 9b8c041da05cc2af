import type { OnboardingStatus } from "../../src/domain/service/onboarding-status.js";
import { Random } from "../world/random.js";
import type { Playbook, ScriptedOutcome } from "./playbook-store.js";

/** What a run will come to, decided when it begins: the same for the same seed, entity, playbook and attempt. */
export interface Outcome {
  readonly status: OnboardingStatus;
  readonly delayMs: number;
  readonly output: Readonly<Record<string, unknown>> | undefined;
  readonly outputDelayMs: number;
  readonly errorMessage: string | undefined;
  readonly requiresManualReview: boolean;
  readonly settles: { readonly status: OnboardingStatus; readonly afterMs: number } | undefined;
}

/** Decides a run: by its script where there is one, else by the playbook's shares. */
export function decide(
  playbook: Playbook,
  script: ScriptedOutcome | undefined,
  data: Readonly<Record<string, unknown>>,
  seed: string,
): Outcome {
  const random = new Random(seed);
  // Drawn whether used or not: a script must not shift what the seed gives to the rest.
  const drawn = pick(playbook.outcomes, random);
  const delay = delayOf(playbook.delayMs, random);
  const review = random.chance(playbook.manualReviewShare);
  const status = script?.status ?? drawn;
  const output = script?.output === undefined ? playbook.output : (script.output ?? undefined);
  return {
    status,
    delayMs: script?.delayMs ?? delay,
    // A run that stopped before its end has not reached its output node
    // (docs/reference/service.md, "Onboarding result").
    output:
      status === "incomplete" || status === "error" ? (script?.output ?? undefined) : filled(output, data),
    outputDelayMs: script?.outputDelayMs ?? playbook.outputDelayMs,
    errorMessage: script?.error_message ?? (status === "error" ? playbook.errorMessage : undefined),
    requiresManualReview: script?.requires_manual_review ?? review,
    settles: status === "pending" ? (script?.settles ?? playbook.settles) : undefined,
  };
}

function pick(weights: Playbook["outcomes"], random: Random): OnboardingStatus {
  const entries = Object.entries(weights) as [OnboardingStatus, number][];
  let left = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [status, weight] of entries) {
    left -= weight;
    if (left < 0) return status;
  }
  return entries.at(-1)?.[0] ?? "none";
}

function delayOf(delay: Playbook["delayMs"], random: Random): number {
  const share = random.next();
  if (typeof delay === "number") return delay;
  return Math.round(delay[0] + share * (delay[1] - delay[0]));
}

function filled(
  output: Readonly<Record<string, unknown>> | undefined,
  data: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  if (output === undefined) return undefined;
  const entries = Object.entries(output).map(([name, value]) => [name, fill(value, data)]);
  return Object.fromEntries(entries);
}

function fill(value: unknown, data: Readonly<Record<string, unknown>>): unknown {
  if (typeof value !== "string") return value;
  const whole = /^\{\{data\.([^{}]+)\}\}$/.exec(value);
  if (whole) return data[whole[1]!] ?? null;
  return value.replace(/\{\{data\.([^{}]+)\}\}/g, (_, name: string) => String(data[name] ?? ""));
}
