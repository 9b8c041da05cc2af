import { z } from "zod";
import type { Sandbox } from "../sandbox.js";
import {
  ACCOUNT,
  ADVANCE,
  BUSINESS,
  CIP_SCRIPT,
  ENDPOINT,
  HOW_A_LIST_MOVES,
  INVESTMENT_CHANGES,
  INVESTMENTS,
  KEY_STATUS,
  LINK,
  LOG_EVENT,
  MESSAGE_FILTER,
  NIGHTLY_CHANGES,
  OUTCOME_SCRIPT,
  PLAYBOOK,
  PROXY,
  RATE,
  RELEASE,
  REQUEST_FILTER,
  ROW,
  SESSION,
  STATUS,
  TOKEN_GRANT,
  TRIGGER_SUBJECT,
  USER,
  WEBHOOK_EVENT,
} from "./argument-shapes.js";
import type { Arguments } from "./arguments.js";
import { COUNT, NUMBER, OBJECT, TEXT, TEXTS } from "./shape.js";

/** The stand-in's methods that another process may call, each with its arguments. */
export const METHODS = {
  state: {},
  links: {},
  addUser: { user: USER },
  addLink: { link: LINK },
  setLink: { link: TEXT, fields: OBJECT },
  removeLink: { link: TEXT },
  addAccount: { link: TEXT, account: ACCOUNT.optional() },
  append: { link: TEXT, events: z.array(LOG_EVENT) },
  setAccount: { link: TEXT, account: TEXT, fields: OBJECT },
  unlist: { link: TEXT, ids: TEXTS },
  listOnly: { link: TEXT, rows: z.array(ROW) },
  refuseCursors: { link: TEXT },
  advance: { options: ADVANCE.optional() },
  trigger: { event: TEXT, subject: TRIGGER_SUBJECT.optional() },
  nightlyChanges: { options: NIGHTLY_CHANGES },
  addFaults: { fault: OBJECT.meta({ repeated: true }) },
  removeFault: { id: TEXT },
  clearFaults: {},
  faults: {},
  setLatency: { milliseconds: NUMBER },
  addKey: { key: TEXT },
  revokeKey: { key: TEXT.optional(), status: KEY_STATUS.optional() },
  requests: { filter: REQUEST_FILTER.optional() },
  clearRequests: {},
  calls: {},
  waitForRequests: { count: COUNT, filter: REQUEST_FILTER.optional() },
  totals: { link: TEXT.optional() },
  truthRows: { link: TEXT.optional() },
  events: { link: TEXT },
  rosterCsv: {},
} as const satisfies { readonly [M in keyof Sandbox]?: Arguments };

/** The methods of its parts that another process may call, each with its arguments. */
export const PART_METHODS = {
  clock: {
    now: {},
    text: { at: NUMBER.optional() },
    advance: { milliseconds: NUMBER },
    freeze: {},
    thaw: {},
  },
  rates: { set: { rate: RATE.optional() } },
  playbooks: { declare: { playbook: PLAYBOOK }, list: {}, script: { script: OUTCOME_SCRIPT } },
  onboardings: {
    list: {},
    of: { entity: TEXT },
    find: { id: TEXT },
    finish: { id: TEXT, status: STATUS.optional() },
    review: { id: TEXT, status: STATUS, reviewer: TEXT.optional() },
  },
  sessions: { end: { session: SESSION } },
  vaults: {
    value: { entity: TEXT, identifier: TEXT },
    write: { entity: TEXT, values: OBJECT },
    contents: { entity: TEXT },
    decryptions: { entity: TEXT.optional() },
  },
  tokens: {
    create: { entity: TEXT, grant: TOKEN_GRANT },
    expireAll: {},
    grants: { entity: TEXT },
    counts: {},
  },
  businesses: {
    add: { business: BUSINESS.optional() },
    list: {},
    find: { id: TEXT },
    setInsights: { onboarding: TEXT, insights: OBJECT.optional() },
  },
  cip: { script: { user: TEXT, script: CIP_SCRIPT }, made: { user: TEXT.optional() } },
  investments: {
    add: { link: TEXT, investments: INVESTMENTS },
    remove: { link: TEXT, ids: TEXTS },
    change: { link: TEXT, changes: INVESTMENT_CHANGES },
    fill: { link: TEXT, count: COUNT, seed: z.number().optional() },
    move: { link: TEXT, how: HOW_A_LIST_MOVES },
    truth: { link: TEXT },
  },
  proxies: { configure: { proxy: PROXY }, forwarded: { proxy: TEXT.optional() } },
  webhooks: {
    register: { endpoint: ENDPOINT },
    unregister: { id: TEXT },
    setSecrets: { id: TEXT, secrets: TEXTS },
    emit: { event: WEBHOOK_EVENT, name: TEXT.optional() },
    messages: { filter: MESSAGE_FILTER.optional() },
    hold: {},
    release: { options: RELEASE.optional() },
    resend: { id: TEXT },
    settled: {},
  },
} as const satisfies {
  readonly [P in keyof Sandbox]?: { readonly [M in keyof Sandbox[P]]?: Arguments };
};

/** All of them by their paths below `/_sandbox/`. */
export const METHODS_BY_PATH: ReadonlyMap<string, Arguments> = new Map<string, Arguments>([
  ...Object.entries(METHODS),
  ...Object.entries(PART_METHODS).flatMap(([part, methods]) =>
    Object.entries<Arguments>(methods).map(([name, shapes]) => [`${part}/${name}`, shapes] as const),
  ),
]);
