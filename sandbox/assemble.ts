import { BusinessStore } from "./businesses/business-store.js";
import { CallLog } from "./calls.js";
import { CipStore } from "./cip/cip-store.js";
import { Clock } from "./clock.js";
import { FaultStore } from "./faults/fault-store.js";
import { KeyRing } from "./http/auth.js";
import { FixedWindows } from "./http/fixed-windows.js";
import { RateLimiter } from "./http/rate-limit.js";
import { RequestHolds } from "./http/request-holds.js";
import { InvestmentStore } from "./investments/investment-store.js";
import { OnboardingStore } from "./onboarding/onboarding-store.js";
import { PlaybookStore } from "./onboarding/playbook-store.js";
import { SessionStore } from "./onboarding/session-store.js";
import { DEFAULT_SERVICE_OPTIONS, type SandboxOptions } from "./options.js";
import { populate } from "./population/population.js";
import { ProxyStore } from "./proxy/proxy-store.js";
import { TokenStore } from "./vault/token-store.js";
import { VaultStore } from "./vault/vault-store.js";
import { WebhookStore } from "./webhooks/webhook-store.js";
import { CursorCodec } from "./world/cursor.js";
import { World } from "./world/world.js";

/** All that a running stand-in holds. */
export type SandboxState = ReturnType<typeof assemble>;

/** Puts a stand-in's parts together. @throws InputError for options that can't be used */
export function assemble(options: SandboxOptions, apiKeys: readonly string[]) {
  const { seed = 1 } = options;
  const service = { ...DEFAULT_SERVICE_OPTIONS, ...options };
  const clock = new Clock(options.clock);
  const replaces = options.behaves?.has("pending-replaced") === true;
  const world = new World(options.today, replaces ? () => clock.text() : undefined);
  const faults = new FaultStore();
  const webhooks = new WebhookStore(clock, faults, seed, service.behaves, options.webhooks);
  const playbooks = new PlaybookStore(options.playbooks);
  const onboardings = new OnboardingStore(clock, playbooks, webhooks, seed);
  const vaults = new VaultStore(clock, webhooks, options.vaults === "empty" ? undefined : seed);
  const businesses = new BusinessStore(world.externalIds, vaults, seed);
  populate(world, options.population ?? { kind: "empty" });
  // The history of a population has events about pending rows.
  for (const { log } of replaces ? world.links.values() : []) if (log.base === undefined) log.compact();
  const investments = new InvestmentStore(world);
  for (const { id, accounts } of options.investments ? world.links.values() : []) {
    if (accounts.length > 0) investments.fill(id, options.investments ?? 0);
  }
  for (let number = 1; number <= (options.businesses ?? 0); number++) {
    const digits = String(number).padStart(5, "0");
    const external_id = `business-${number}`;
    const entityId = businesses.add({
      fp_bid: `fp_bid_${digits}`,
      external_id,
      values: { "business.name": `Example ${digits} LLC` },
    });
    for (let run = 1; run <= (options.businessOnboardings ?? 0); run++) {
      const started = {
        entityId,
        entityExternalId: external_id,
        idempotencyId: undefined,
        synchronous: true,
      };
      onboardings.start({ ...started, ...playbooks.find("pb_kyb"), data: {} });
    }
  }
  for (const fault of options.faults ?? []) faults.add(fault);
  return {
    world,
    cursors: new CursorCodec(options.cursorSecret ?? "nightledger sandbox"),
    faults,
    keys: new KeyRing(apiKeys),
    calls: new CallLog(options.recordRequests ?? 100_000),
    service,
    holds: new RequestHolds(),
    clock,
    rates: new RateLimiter(clock, options.rateLimit),
    windows: new FixedWindows(clock, options.limits),
    playbooks,
    onboardings,
    sessions: new SessionStore(clock, onboardings, seed),
    vaults,
    tokens: new TokenStore(clock, seed),
    businesses,
    cip: new CipStore(clock, onboardings, vaults, seed),
    investments,
    proxies: new ProxyStore(options.proxies),
    webhooks,
  };
}
