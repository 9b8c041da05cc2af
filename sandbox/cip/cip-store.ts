import type { Clock } from "../clock.js";
import type { OnboardingStore } from "../onboarding/onboarding-store.js";
import type { VaultStore } from "../vault/vault-store.js";
import { type CipScript, cipReport } from "./cip-report.js";

/** A report that was made. */
interface MadeReport {
  readonly at: string;
  readonly fp_id: string;
  readonly report: Readonly<Record<string, unknown>>;
}

/** Makes CIP reports and keeps each: no request gives an earlier one again. */
export class CipStore {
  readonly #scripts = new Map<string, CipScript>();
  readonly #made: MadeReport[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly onboardings: OnboardingStore,
    private readonly vaults: VaultStore,
    private readonly seed: string | number,
  ) {}

  /** Says what the reports of a user are to be. */
  script(fpId: string, script: CipScript): void {
    this.#scripts.set(fpId, script);
  }

  /**
   * Makes a report; a manual reviewer's name overwrites the default approver (docs/reference/service.md, "CIP report").
   */
  make(fpId: string, defaultApprover: string): Readonly<Record<string, unknown>> {
    const reviewer = this.onboardings.reviewerOf(fpId);
    const now = this.clock.text();
    const report = cipReport({
      fpId,
      seed: String(this.seed),
      now,
      approvedBy: reviewer ?? defaultApprover,
      reviewed: reviewer !== undefined,
      decidedAt: this.onboardings.of(fpId).findLast((one) => one.settled_at !== undefined)?.settled_at,
      vault: (identifier) => {
        const value = this.vaults.value(fpId, identifier);
        return value === undefined || typeof value === "object" ? undefined : String(value);
      },
      script: this.#scripts.get(fpId) ?? {},
    });
    this.#made.push({ at: now, fp_id: fpId, report });
    return report;
  }

  /** Every report that was made, or a user's, the first one first. */
  made(fpId?: string): MadeReport[] {
    return this.#made.filter((one) => fpId === undefined || one.fp_id === fpId);
  }
}
