import type { BusinessBook } from "./businesses/business-book.js";
import type { CallLog } from "./calls.js";
import type { CipBook } from "./cip/cip-book.js";
import type { Clock } from "./clock.js";
import type { FaultBook } from "./faults/fault-book.js";
import type { ServiceHabits } from "./habits.js";
import type { KeyRing } from "./http/auth.js";
import type { RateLimiter } from "./http/rate-limit.js";
import type { RequestHolds } from "./http/request-holds.js";
import type { InvestmentBook } from "./investments/investment-book.js";
import type { OnboardingBook } from "./onboarding/onboarding-book.js";
import type { PlaybookBook } from "./onboarding/playbook-book.js";
import type { SessionBook } from "./onboarding/session-book.js";
import type { ProxyBook } from "./proxy/proxy-book.js";
import type { TokenBook } from "./vault/token-book.js";
import type { VaultBook } from "./vault/vault-book.js";
import type { WebhookBook } from "./webhooks/webhook-book.js";
import type { CursorCodec } from "./world/cursor.js";
import type { World } from "./world/world.js";

/** All that a running stand-in holds. */
export interface SandboxState {
  readonly world: World;
  readonly cursors: CursorCodec;
  readonly faults: FaultBook;
  readonly keys: KeyRing;
  readonly calls: CallLog;
  readonly habits: ServiceHabits;
  readonly holds: RequestHolds;
  readonly clock: Clock;
  readonly rates: RateLimiter;
  readonly playbooks: PlaybookBook;
  readonly onboardings: OnboardingBook;
  readonly sessions: SessionBook;
  readonly vaults: VaultBook;
  readonly tokens: TokenBook;
  readonly businesses: BusinessBook;
  readonly cip: CipBook;
  readonly investments: InvestmentBook;
  readonly proxies: ProxyBook;
  readonly webhooks: WebhookBook;
}
