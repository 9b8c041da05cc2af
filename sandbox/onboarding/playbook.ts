import { InputError } from "../../src/domain/failures.js";
import { ONBOARDING_STATUSES, type OnboardingStatus } from "../../src/domain/service/onboarding-status.js";

/** What a prerequisite node asks of a value. */
export type PrerequisiteType = "string" | "integer" | "number" | "boolean" | "object";

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
export function playbookOf(options: PlaybookOptions): Playbook {
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
