import { InputError } from "../../src/domain/failures.js";
import type { OnboardingStatus } from "../../src/domain/service/onboarding-status.js";
import { refuse } from "../http/answer.js";
import { isObject } from "../vault/fields.js";
import {
  DEFAULT_PLAYBOOKS,
  type Playbook,
  type PlaybookOptions,
  type PrerequisiteType,
  playbookOf,
} from "./playbook.js";

/** What one run of one user or business comes to, as a script says; what it leaves out is the playbook's. */
export interface ScriptedOutcome {
  status: OnboardingStatus;
  delayMs?: number;
  /** `null`: the output node is never reached. */
  output?: Readonly<Record<string, unknown>> | null;
  outputDelayMs?: number;
  error_message?: string;
  requires_manual_review?: boolean;
  settles?: { status: OnboardingStatus; afterMs: number };
}

/** Whose runs a script is for: by `fp_id` or `fp_bid`; on one playbook, or on each. */
interface OutcomeScript {
  entity: string;
  playbook?: string;
  /** One a run, in their order; the last stays. */
  outcomes: readonly ScriptedOutcome[];
}

/** The playbooks that there are, and the outcomes that scripts have set. */
export class PlaybookStore {
  readonly #playbooks = new Map<string, Playbook>();
  readonly #scripts = new Map<string, ScriptedOutcome[]>();

  constructor(playbooks: readonly PlaybookOptions[] = DEFAULT_PLAYBOOKS) {
    for (const playbook of playbooks) this.declare(playbook);
  }

  /** Adds a playbook, or puts it in the place of the one with its key. @throws InputError */
  declare(options: PlaybookOptions): void {
    this.#playbooks.set(options.key, playbookOf(options));
  }

  list(): Playbook[] {
    return [...this.#playbooks.values()];
  }

  /** @throws InputError for a playbook that is not there, or no outcome. */
  script({ entity, playbook, outcomes }: OutcomeScript): void {
    if (playbook !== undefined && !this.#playbooks.has(playbook)) {
      throw new InputError(`playbook ${playbook} is not declared: declare it before its script`);
    }
    if (outcomes.length === 0) throw new InputError("script: give at least one outcome");
    this.#scripts.set(scriptKey(entity, playbook), [...outcomes]);
  }

  /** The outcome that is scripted for an entity's next run, taken from its script. */
  take(entity: string, playbook: string): ScriptedOutcome | undefined {
    const script = this.#scripts.get(scriptKey(entity, playbook)) ?? this.#scripts.get(scriptKey(entity));
    return script && script.length > 1 ? script.shift() : script?.[0];
  }

  /** Finds `<playbook_key>` or `<playbook_key>:v<n>` (docs/reference/service.md, "Versions"). @throws Refusal 400 */
  find(text: string): { playbook: Playbook; version: number } {
    const [, key = "", tag] = /^([^:]+)(?::v([1-9]\d{0,8}))?$/.exec(text) ?? [];
    if (key === "") refuse('body: field "key": not of the form <playbook_key> or <playbook_key>:v<n>');
    const playbook = this.#playbooks.get(key);
    if (!playbook) refuse('body: field "key": no such playbook');
    const version = tag === undefined ? playbook.versions : Number(tag);
    if (version > playbook.versions) refuse('body: field "key": the playbook has no such version');
    return { playbook, version };
  }
}

/**
 * The prerequisite data that a playbook keeps: keys on its prerequisite node; others are discarded
 * (docs/reference/service.md, "Onboarding creation").
 * @throws Refusal 400 for a value of another type than the node declares.
 */
export function keptData(
  { prerequisites }: Playbook,
  data: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(prerequisites)) {
    if (!(name in data)) continue;
    if (!isOfType(data[name], type))
      refuse(`body: field "prerequisite_data": "${name}" is not of type ${type}`);
    kept[name] = data[name];
  }
  return kept;
}

function isOfType(value: unknown, type: PrerequisiteType): boolean {
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function scriptKey(entity: string, playbook?: string): string {
  return JSON.stringify([entity, playbook ?? null]);
}
