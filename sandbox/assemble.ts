import { BusinessBook } from "./businesses/business-book.js";
import { CallLog } from "./calls.js";
import { CipBook } from "./cip/cip-book.js";
import { Clock } from "./clock.js";
import { FaultBook } from "./faults/fault-book.js";
import { habitsOf } from "./habits.js";
import { KeyRing } from "./http/auth.js";
import { RateLimiter } from "./http/rate-limit.js";
import { RequestHolds } from "./http/request-holds.js";
import { InvestmentBook } from "./investments/investment-book.js";
import { OnboardingBook } from "./onboarding/onboarding-book.js";
import { PlaybookBook } from "./onboarding/playbook-book.js";
import { SessionBook } from "./onboarding/session-book.js";
import type { SandboxOptions } from "./options.js";
import { populate } from "./population/population.js";
import { ProxyBook } from "./proxy/proxy-book.js";
import type { SandboxState } from "./state.js";
import { TokenBook } from "./vault/token-book.js";
import { VaultBook } from "./vault/vault-book.js";
import { WebhookBook } from "./webhooks/webhook-book.js";
import { CursorCodec } from "./world/cursor.js";
import { World } from "./world/world.js";

/** Puts a stand-in's parts together. @throws InputError for options that can't be used */
export function assemble(options: SandboxOptions, apiKeys: readonly string[]): SandboxState {
  const { seed = 1 } = options;
  const habits = habitsOf(options);
  const clock = new Clock(options.clock);
  const world = new World(options.today);
  const faults = new FaultBook();
  const webhooks = new WebhookBook(clock, faults, seed, options.webhooks);
  const playbooks = new PlaybookBook(options.playbooks);
  const onboardings = new OnboardingBook(clock, playbooks, webhooks, seed);
  const vaults = new VaultBook(clock, webhooks, options.vaults === "empty" ? undefined : seed);
  const businesses = new BusinessBook(world.externalIds, vaults, seed);
  populate(world, options.population ?? { kind: "empty" });
  const investments = new InvestmentBook(world);
  for (const { id, accounts } of options.investments ? world.links.values() : []) {
    if (accounts.length > 0) investments.fill(id, options.investments ?? 0);
  }
  for (let number = 1; number <= (options.businesses ?? 0); number++) {
    const digits = String(number).padStart(5, "0");
    const external_id = `business-${number}`;
    businesses.add({
      fp_bid: `fp_bid_${digits}`,
      external_id,
      values: { "business.name": `Example ${digits} LLC` },
    });
  }
  for (const fault of options.faults ?? []) faults.add(fault);
  return {
    world,
    cursors: new CursorCodec(options.cursorSecret ?? "nightledger sandbox"),
    faults,
    keys: new KeyRing(apiKeys),
    calls: new CallLog(options.recordRequests ?? 100_000),
    habits,
    holds: new RequestHolds(),
    clock,
    rates: new RateLimiter(clock, options.rateLimit),
    playbooks,
    onboardings,
    sessions: new SessionBook(clock, onboardings, seed),
    vaults,
    tokens: new TokenBook(clock, habits.tokenWithoutFields, seed),
    businesses,
    cip: new CipBook(clock, onboardings, vaults, seed),
    investments,
    proxies: new ProxyBook(options.proxies),
    webhooks,
  };
}
