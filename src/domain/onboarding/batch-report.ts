import type { OutcomeName } from "./outcome.js";

/** An outcome that is staged and is to be written: its name and the row's place in the file. */
export type OutcomeRef = OutcomeName & { readonly row: number };

/** A row that is to run, as its batch knows it: by number and by hashes. */
export interface PlannedRow {
  /** Place in the file, from 0. */
  readonly row: number;
  readonly line: number;
  /** Hash of whom it is about: part of the customer's workflow id. */
  readonly identity: string;
  readonly rowKey: string;
  /** Whether the vault must be written, documents uploaded or a business made before the onboarding. */
  readonly prepare: boolean;
  /** The onboarding that an earlier command made of it and that is still open; null where none was posted. */
  readonly open: OpenOnboarding | null;
}

/** An onboarding that was posted before and not settled when it was last heard of. */
export interface OpenOnboarding {
  readonly onboardingId: string;
  /** Version of the row's outcome that stands in this batch and attempt; 0 without one. */
  readonly version: number;
}

/** A row that has its outcome without running: wrong, posted before, or cancelled before it began. */
export interface EndedRow {
  readonly status: string;
  readonly requiresManualReview: boolean;
  /** The outcome to be written; null where it stands in the table already. */
  readonly record: OutcomeRef | null;
}

/** What is to become of a chunk of rows. */
export interface ChunkPlan {
  readonly run: readonly PlannedRow[];
  readonly ended: readonly EndedRow[];
}

/** What a customer tells its batch. */
export type CustomerReport =
  /** The row is machine done. */
  | {
      readonly kind: "done";
      readonly row: number;
      readonly status: string;
      readonly requiresManualReview: boolean;
      readonly record: OutcomeRef | null;
      readonly calls: number;
      /** Hash of the error message it ended with; null without one. */
      readonly messageHash: string | null;
    }
  /** The service refused the credentials; nothing was posted, and the row is to be run again. */
  | { readonly kind: "held"; readonly row: number; readonly calls: number }
  /** The same, but an onboarding is posted and goes on. */
  | { readonly kind: "refused"; readonly row: number; readonly calls: number }
  /** The customer was busy for another row, and is free now: the row is to be planned again. */
  | { readonly kind: "free"; readonly row: number }
  /** Whether the output that was missing at first came after all. */
  | { readonly kind: "output"; readonly found: boolean; readonly calls: number };

/** Why a batch stands still. */
export interface BatchPause {
  readonly kind: "circuit" | "credentials" | "asked";
  readonly reason: string;
}
