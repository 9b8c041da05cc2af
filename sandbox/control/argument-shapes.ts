import { z } from "zod";
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
import type { TriggerSubject } from "../webhooks/trigger.js";
import type { ReleaseOptions } from "../webhooks/webhook-store.js";
import type { AdvanceOptions } from "../world/advance.js";
import type { NightlyChangesOptions } from "../world/nightly-changes.js";
import type { NewAccount, NewLink, NewUser } from "../world/world.js";
import { COUNT, fields, NUMBER, OBJECT, TEXT, TEXTS } from "./shape.js";

export const STATUS = z.enum(ONBOARDING_STATUSES);
export const HOW_A_LIST_MOVES = z.enum(["insert", "remove", "replace"]);
export const KEY_STATUS = z.literal([401, 403]);

export const USER = fields<NewUser>({
  fp_id: TEXT,
  external_id: TEXT.optional(),
  raw: z.string().optional(),
});

export const ACCOUNT = fields<NewAccount>({
  id: TEXT.optional(),
  fields: OBJECT.optional(),
  raw: z.string().optional(),
});

export const LINK = fields<Omit<NewLink, "base">>({
  fp_id: TEXT,
  id: TEXT.optional(),
  fields: OBJECT.optional(),
  raw: z.string().optional(),
  accounts: z.array(ACCOUNT).optional(),
});

/** A transaction; whoever wants to serve another row gives it as `raw`. */
export const ROW = z.looseObject({
  transaction_id: TEXT,
  account_id: TEXT,
  amount: TEXT,
  currency: TEXT,
  date: TEXT,
  type: z.enum(["debit", "credit"]),
  pending: z.boolean(),
});

export const LOG_EVENT = z.union([
  z.strictObject({ change: z.enum(["created", "updated"]), row: ROW }),
  z.strictObject({ change: z.literal("removed"), id: TEXT }),
  z.strictObject({ change: z.enum(["created", "updated", "removed"]), raw: z.string(), id: TEXT.optional() }),
]);

export const ADVANCE = fields<AdvanceOptions>({
  days: COUNT.optional(),
  seed: z.number().optional(),
  links: TEXTS.optional(),
  created: COUNT.optional(),
  pending: COUNT.optional(),
  updated: COUNT.optional(),
  removed: COUNT.optional(),
  posted: COUNT.optional(),
  postedInPlace: COUNT.optional(),
  lapsed: COUNT.optional(),
  backDated: COUNT.optional(),
  recreated: COUNT.optional(),
});

export const NIGHTLY_CHANGES = fields<NightlyChangesOptions>({
  changes: COUNT,
  firstLink: COUNT.optional(),
  created: NUMBER.optional(),
  updated: NUMBER.optional(),
  removed: NUMBER.optional(),
  recentShare: NUMBER.optional(),
  recentDays: COUNT.optional(),
  seed: z.number().optional(),
});

export const REQUEST_FILTER = fields<RequestFilter>({
  method: TEXT.optional(),
  path: TEXT.optional(),
  operation: TEXT.optional(),
  link: TEXT.optional(),
  user: TEXT.optional(),
  business: TEXT.optional(),
  cursor: z.string().optional(),
  auth: z.enum(["secret_key", "client_token", "both", "none"]).optional(),
  body_sha256: TEXT.optional(),
  status: COUNT.optional(),
  fault: TEXT.optional(),
});

export const RATE = fields<RateLimitOptions>({
  perSecond: z.number().positive(),
  retryAfterSeconds: NUMBER.nullable().optional(),
});

const SETTLES = fields<NonNullable<ScriptedOutcome["settles"]>>({ status: STATUS, afterMs: NUMBER });

export const PLAYBOOK = fields<PlaybookOptions>({
  key: TEXT,
  versions: COUNT.optional(),
  kind: z.enum(["kyc", "kyb"]).optional(),
  outcomes: z.partialRecord(STATUS, NUMBER).optional(),
  delayMs: z.union([NUMBER, z.tuple([NUMBER, NUMBER])]).optional(),
  output: OBJECT.optional(),
  outputDelayMs: NUMBER.optional(),
  prerequisites: z
    .record(z.string(), z.enum(["string", "integer", "number", "boolean", "object"]))
    .optional(),
  manualReviewShare: NUMBER.optional(),
  errorMessage: z.string().optional(),
  continuationMs: NUMBER.optional(),
  settles: SETTLES.optional(),
});

const OUTCOME = fields<ScriptedOutcome>({
  status: STATUS,
  delayMs: NUMBER.optional(),
  output: OBJECT.nullable().optional(),
  outputDelayMs: NUMBER.optional(),
  error_message: z.string().optional(),
  requires_manual_review: z.boolean().optional(),
  settles: SETTLES.optional(),
});

export const OUTCOME_SCRIPT = fields<OutcomeScript>({
  entity: TEXT,
  playbook: TEXT.optional(),
  outcomes: z.array(OUTCOME),
});

export const SESSION = fields<NewSession>({
  onboardings: TEXTS.optional(),
  bank_link: fields<NonNullable<NewSession["bank_link"]>>({
    id: TEXT.optional(),
    intent_id: TEXT.optional(),
  }).optional(),
  user_auth: fields<NonNullable<NewSession["user_auth"]>>({
    fp_id: TEXT,
    external_id: TEXT.optional(),
    auth_events: z
      .array(fields<{ kind: string; timestamp: string }>({ kind: TEXT, timestamp: TEXT }))
      .optional(),
  }).optional(),
  ttlMs: NUMBER.optional(),
});

export const TOKEN_GRANT = fields<TokenGrant>({
  scope: z.enum(SCOPES),
  fields: TEXTS.optional(),
  decrypt_reason: TEXT.optional(),
  ttl: NUMBER.optional(),
});

export const BUSINESS = fields<NewBusiness>({
  fp_bid: TEXT.optional(),
  external_id: TEXT.optional(),
  sandbox_id: TEXT.optional(),
  values: OBJECT.optional(),
});

export const CIP_SCRIPT = fields<CipScript>({
  consider: z.array(z.enum([...CHECKS, ...WATCHLIST_CHECKS])).optional(),
  omit: TEXTS.optional(),
  fields: OBJECT.optional(),
});

export const INVESTMENTS = fields<NewInvestments>({
  transactions: z.array(z.looseObject({ investment_transaction_id: TEXT })).optional(),
  securities: z.array(z.looseObject({ security_id: TEXT })).optional(),
  raw: z.array(z.string()).optional(),
});

export const INVESTMENT_CHANGES = fields<InvestmentChanges>({
  created: COUNT.optional(),
  updated: COUNT.optional(),
  removed: COUNT.optional(),
  days: COUNT.optional(),
  seed: z.number().optional(),
});

export const PROXY = fields<NewProxy>({
  id: TEXT,
  target: TEXT,
  headers: z.record(z.string(), z.string()).optional(),
  ingress: TEXTS.optional(),
  timeoutMs: NUMBER.optional(),
});

export const ENDPOINT = fields<NewEndpoint>({
  url: TEXT,
  secrets: TEXTS.optional(),
  events: z.array(z.enum(EVENT_KINDS)).optional(),
  atOnce: COUNT.optional(),
});

export const WEBHOOK_EVENT = z.looseObject({ event_kind: TEXT });

export const MESSAGE_FILTER = fields<MessageFilter>({
  id: TEXT.optional(),
  event_kind: TEXT.optional(),
  fp_id: TEXT.optional(),
  state: z.enum(["waiting", "lost", "no_endpoint", "delivered", "failed"]).optional(),
});

export const TRIGGER_SUBJECT = fields<TriggerSubject>({ user: TEXT.optional(), link: TEXT.optional() });

export const RELEASE = fields<ReleaseOptions>({
  order: z.enum(["sent", "reverse", "shuffled"]).optional(),
  seed: z.number().optional(),
  drop: TEXTS.optional(),
});
