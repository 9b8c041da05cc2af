import { InputError } from "../../src/domain/failures.js";
import { isJsonObject } from "../../src/domain/json/value.js";
import { ONBOARDING_STATUSES, type OnboardingStatus } from "../../src/domain/service/onboarding-status.js";
import { refuse } from "../http/answer.js";

/** What a prerequisite node asks of a value. */
type PrerequisiteType = "string" | "integer" | "number" | "boolean" | "object";

/** A playbook as it is declared; all but the key has a default. */
export interface PlaybookOptions {
  key: string;
  /** Versions 1 to this one are there, the last one runs by default; default 1. */
  versions?: number;
  /** Whom it is for; default `kyc`, users. */
  kind?: "kyc" | "kyb";
  /** How often each outcome comes, as weights; default: always `pass`. */
  outcomes?: Partial<Record<OnboardingStatus, number>>;
  /** Milliseconds that a run takes, or bounds of them; default 0. */
  delayMs?: number | readonly [number, number];
  /** Values of the output node; `{{data.<key>}}` in a text stands for prerequisite data. Default: no output node. */
  output?: Readonly<Record<string, unknown>>;
  /** Milliseconds from the decision to the output node; default 0. */
  outputDelayMs?: number;
  /** Keys of the prerequisite node with the type of each. */
  prerequisites?: Readonly<Record<string, PrerequisiteType>>;
  /** Share of the runs that a reviewer must look at; default 0. */
  manualReviewShare?: number;
  errorMessage?: string;
  /** Milliseconds for which a continuation token is good; default one day. */
  continuationMs?: number;
  /** What a run that ends `pending` becomes by itself, and after how many milliseconds. */
  settles?: { status: OnboardingStatus; afterMs: number };
}

/** A playbook with everything filled in. */
export type Playbook = Required<Omit<PlaybookOptions, "output" | "settles">> &
  Pick<PlaybookOptions, "output" | "settles">;

/** Fills a playbook in. @throws InputError for a key, version or outcome that can't be. */
function playbookOf(options: PlaybookOptions): Playbook {
  const { key, versions = 1, outcomes = { pass: 1 } } = options;
  if (key === "" || /[:\s]/.test(key)) {
    throw new InputError("playbook: a key is a text without colon or space; nothing was declared");
  }
  if (!Number.isInteger(versions) || versions < 1) {
    throw new InputError(`playbook ${key}: versions is an integer from 1; nothing was declared`);
  }
  for (const status of Object.keys(outcomes)) {
    if (!(ONBOARDING_STATUSES as readonly string[]).includes(status)) {
      throw new InputError(
        `playbook ${key}: no outcome ${status}; accepted are ${ONBOARDING_STATUSES.join(", ")}`,
      );
    }
  }
  return {
    kind: "kyc",
    delayMs: 0,
    outputDelayMs: 0,
    prerequisites: {},
    manualReviewShare: 0,
    errorMessage: "the playbook could not be run to its end",
    continuationMs: 86_400_000,
    ...options,
    versions,
    outcomes,
  };
}

/** The playbooks of a stand-in that declares none: one for users and one for businesses, with every outcome. */
export const DEFAULT_PLAYBOOKS: readonly PlaybookOptions[] = [
  {
    key: "pb_kyc",
    versions: 2,
    outcomes: { pass: 80, fail: 8, incomplete: 6, pending: 3, none: 1, error: 2 },
    output: { risk_level: "low", source: "{{data.source}}" },
    prerequisites: { source: "string", score: "integer", vip: "boolean", context: "object" },
    manualReviewShare: 0.05,
    settles: { status: "pass", afterMs: 5_000 },
  },
  {
    key: "pb_kyb",
    kind: "kyb",
    outcomes: { pass: 75, fail: 10, incomplete: 5, pending: 10 },
    manualReviewShare: 0.1,
    settles: { status: "pass", afterMs: 5_000 },
  },
];

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
export interface OutcomeScript {
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
  if (type === "object") return isJsonObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function scriptKey(entity: string, playbook?: string): string {
  return JSON.stringify([entity, playbook ?? null]);
}
