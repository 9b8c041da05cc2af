import { EVENT_KINDS } from "../../src/domain/service/event-kind.js";
import { ONBOARDING_STATUSES } from "../../src/domain/service/onboarding-status.js";
import type { NewBusiness } from "../businesses/business-store.js";
import type { RequestFilter } from "../calls.js";
import { CHECKS, type CipScript, WATCHLIST_CHECKS } from "../cip/cip-report.js";
import type { RateLimitOptions } from "../http/rate-limit.js";
import type { InvestmentChanges, NewInvestments } from "../investments/investment-store.js";
import type { OutcomeScript, PlaybookOptions, ScriptedOutcome } from "../onboarding/playbook-store.js";
import type { NewSession } from "../onboarding/session-store.js";
import type { NewProxy } from "../proxy/proxy-store.js";
import { SCOPES, type TokenGrant } from "../vault/token-store.js";
import type { NewEndpoint } from "../webhooks/endpoint.js";
import type { MessageFilter } from "../webhooks/event.js";
import type { ReleaseOptions } from "../webhooks/webhook-store.js";
import type { AdvanceOptions } from "../world/advance.js";
import type { NightlyChangesOptions } from "../world/nightly-changes.js";
import type { NewAccount, NewLink, NewUser } from "../world/world.js";
import {
  atLeast,
  BOOLEAN,
  COUNT,
  either,
  fields,
  listOf,
  mapOf,
  NULL,
  NUMBER,
  OBJECT,
  oneOf,
  optional,
  POSITIVE,
  pairOf,
  RAW,
  SEED,
  TEXT,
  TEXTS,
} from "./shape.js";

export const STATUS = oneOf(...ONBOARDING_STATUSES);
export const HOW_A_LIST_MOVES = oneOf("insert", "remove");
export const KEY_STATUS = oneOf(401, 403);

export const USER = fields<NewUser>({ fp_id: TEXT, external_id: optional(TEXT), raw: optional(RAW) });

export const ACCOUNT = fields<NewAccount>({
  id: optional(TEXT),
  fields: optional(OBJECT),
  raw: optional(RAW),
});

export const LINK = fields<Omit<NewLink, "base">>({
  fp_id: TEXT,
  id: optional(TEXT),
  fields: optional(OBJECT),
  raw: optional(RAW),
  accounts: optional(listOf(ACCOUNT)),
});

/** A transaction; whoever wants to serve another row gives it as `raw`. */
export const ROW = atLeast({
  transaction_id: TEXT,
  account_id: TEXT,
  amount: TEXT,
  currency: TEXT,
  date: TEXT,
  type: oneOf("debit", "credit"),
  pending: BOOLEAN,
});

export const LOG_EVENT = either(
  fields({ change: oneOf("created", "updated"), row: ROW }),
  fields<{ change: string; id: string }>({ change: oneOf("removed"), id: TEXT }),
  fields<{ change: string; raw: string; id?: string }>({
    change: oneOf("created", "updated", "removed"),
    raw: RAW,
    id: optional(TEXT),
  }),
);

export const ADVANCE = fields<AdvanceOptions>({
  days: optional(COUNT),
  seed: optional(SEED),
  links: optional(TEXTS),
  created: optional(COUNT),
  pending: optional(COUNT),
  updated: optional(COUNT),
  removed: optional(COUNT),
  posted: optional(COUNT),
  postedInPlace: optional(COUNT),
  backDated: optional(COUNT),
  recreated: optional(COUNT),
});

export const NIGHTLY_CHANGES = fields<NightlyChangesOptions>({
  changes: COUNT,
  firstLink: optional(COUNT),
  created: optional(NUMBER),
  updated: optional(NUMBER),
  removed: optional(NUMBER),
  recentShare: optional(NUMBER),
  recentDays: optional(COUNT),
  seed: optional(SEED),
});

export const REQUEST_FILTER = fields<RequestFilter>({
  method: optional(TEXT),
  path: optional(TEXT),
  operation: optional(TEXT),
  link: optional(TEXT),
  user: optional(TEXT),
  business: optional(TEXT),
  cursor: optional(RAW),
  auth: optional(oneOf("secret_key", "client_token", "both", "none")),
  body_sha256: optional(TEXT),
  status: optional(COUNT),
  fault: optional(TEXT),
});

export const RATE = fields<RateLimitOptions>({
  perSecond: POSITIVE,
  retryAfterSeconds: optional(either(NUMBER, NULL)),
});

const SETTLES = fields<{ status: string; afterMs: number }>({ status: STATUS, afterMs: NUMBER });

export const PLAYBOOK = fields<PlaybookOptions>({
  key: TEXT,
  versions: optional(COUNT),
  kind: optional(oneOf("kyc", "kyb")),
  outcomes: optional(mapOf(NUMBER)),
  delayMs: optional(either(NUMBER, pairOf(NUMBER))),
  output: optional(OBJECT),
  outputDelayMs: optional(NUMBER),
  prerequisites: optional(mapOf(oneOf("string", "integer", "number", "boolean", "object"))),
  manualReviewShare: optional(NUMBER),
  errorMessage: optional(RAW),
  continuationMs: optional(NUMBER),
  settles: optional(SETTLES),
});

const OUTCOME = fields<ScriptedOutcome>({
  status: STATUS,
  delayMs: optional(NUMBER),
  output: optional(either(OBJECT, NULL)),
  outputDelayMs: optional(NUMBER),
  error_message: optional(RAW),
  requires_manual_review: optional(BOOLEAN),
  settles: optional(SETTLES),
});

export const OUTCOME_SCRIPT = fields<OutcomeScript>({
  entity: TEXT,
  playbook: optional(TEXT),
  outcomes: listOf(OUTCOME),
});

export const SESSION = fields<NewSession>({
  onboardings: optional(TEXTS),
  bank_link: optional(
    fields<NonNullable<NewSession["bank_link"]>>({ id: optional(TEXT), intent_id: optional(TEXT) }),
  ),
  user_auth: optional(
    fields<NonNullable<NewSession["user_auth"]>>({
      fp_id: TEXT,
      external_id: optional(TEXT),
      auth_events: optional(
        listOf(fields<{ kind: string; timestamp: string }>({ kind: TEXT, timestamp: TEXT })),
      ),
    }),
  ),
  ttlMs: optional(NUMBER),
});

export const TOKEN_GRANT = fields<TokenGrant>({
  scope: oneOf(...SCOPES),
  fields: optional(TEXTS),
  decrypt_reason: optional(TEXT),
  ttl: optional(NUMBER),
});

export const BUSINESS = fields<NewBusiness>({
  fp_bid: optional(TEXT),
  external_id: optional(TEXT),
  sandbox_id: optional(TEXT),
  values: optional(OBJECT),
});

export const CIP_SCRIPT = fields<CipScript>({
  consider: optional(listOf(oneOf(...CHECKS, ...WATCHLIST_CHECKS))),
  omit: optional(TEXTS),
  fields: optional(OBJECT),
});

export const INVESTMENTS = fields<NewInvestments>({
  transactions: optional(listOf(atLeast({ investment_transaction_id: TEXT }))),
  securities: optional(listOf(atLeast({ security_id: TEXT }))),
  raw: optional(listOf(RAW)),
});

export const INVESTMENT_CHANGES = fields<InvestmentChanges>({
  created: optional(COUNT),
  updated: optional(COUNT),
  removed: optional(COUNT),
  days: optional(COUNT),
  seed: optional(SEED),
});

export const PROXY = fields<NewProxy>({
  id: TEXT,
  target: TEXT,
  headers: optional(mapOf(RAW)),
  ingress: optional(TEXTS),
  timeoutMs: optional(NUMBER),
});

export const ENDPOINT = fields<NewEndpoint>({
  url: TEXT,
  secrets: optional(TEXTS),
  events: optional(listOf(oneOf(...EVENT_KINDS))),
  atOnce: optional(COUNT),
});

export const WEBHOOK_EVENT = atLeast({ event_kind: TEXT });

export const MESSAGE_FILTER = fields<MessageFilter>({
  id: optional(TEXT),
  event_kind: optional(TEXT),
  fp_id: optional(TEXT),
  state: optional(oneOf("waiting", "lost", "no_endpoint", "delivered", "failed")),
});

export const RELEASE = fields<ReleaseOptions>({
  order: optional(oneOf("sent", "reverse", "shuffled")),
  seed: optional(SEED),
  drop: optional(TEXTS),
});
