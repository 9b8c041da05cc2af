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
  USER,
  WEBHOOK_EVENT,
} from "./argument-shapes.js";
import type { Arguments } from "./arguments.js";
import { COUNT, listOf, NUMBER, OBJECT, optional, rest, SEED, TEXT, TEXTS } from "./shape.js";

/** The stand-in's methods that another process may call, each with its arguments. */
export const METHODS = {
  state: {},
  links: {},
  addUser: { user: USER },
  addLink: { link: LINK },
  setLink: { link: TEXT, fields: OBJECT },
  removeLink: { link: TEXT },
  addAccount: { link: TEXT, account: optional(ACCOUNT) },
  append: { link: TEXT, events: listOf(LOG_EVENT) },
  setAccount: { link: TEXT, account: TEXT, fields: OBJECT },
  unlist: { link: TEXT, ids: TEXTS },
  listOnly: { link: TEXT, rows: listOf(ROW) },
  refuseCursors: { link: TEXT },
  advance: { options: optional(ADVANCE) },
  nightlyChanges: { options: NIGHTLY_CHANGES },
  addFaults: { fault: rest(OBJECT) },
  removeFault: { id: TEXT },
  clearFaults: {},
  faults: {},
  setLatency: { milliseconds: NUMBER },
  addKey: { key: TEXT },
  revokeKey: { key: optional(TEXT), status: optional(KEY_STATUS) },
  requests: { filter: optional(REQUEST_FILTER) },
  clearRequests: {},
  calls: {},
  waitForRequests: { count: COUNT, filter: optional(REQUEST_FILTER) },
  totals: { link: optional(TEXT) },
  truthRows: { link: optional(TEXT) },
  events: { link: TEXT },
  rosterCsv: {},
} as const satisfies { readonly [M in keyof Sandbox]?: Arguments };

/** The methods of its parts that another process may call, each with its arguments. */
export const PART_METHODS = {
  clock: {
    now: {},
    text: { at: optional(NUMBER) },
    advance: { milliseconds: NUMBER },
    freeze: {},
    thaw: {},
  },
  rates: { set: { rate: optional(RATE) } },
  playbooks: { declare: { playbook: PLAYBOOK }, list: {}, script: { script: OUTCOME_SCRIPT } },
  onboardings: {
    list: {},
    of: { entity: TEXT },
    find: { id: TEXT },
    finish: { id: TEXT, status: optional(STATUS) },
    review: { id: TEXT, status: STATUS, reviewer: optional(TEXT) },
  },
  sessions: { end: { session: SESSION } },
  vaults: {
    value: { entity: TEXT, identifier: TEXT },
    write: { entity: TEXT, values: OBJECT },
    contents: { entity: TEXT },
    decryptions: { entity: optional(TEXT) },
  },
  tokens: {
    create: { entity: TEXT, grant: TOKEN_GRANT },
    expireAll: {},
    grants: { entity: TEXT },
    counts: {},
  },
  businesses: {
    add: { business: optional(BUSINESS) },
    list: {},
    find: { id: TEXT },
    setInsights: { onboarding: TEXT, insights: optional(OBJECT) },
  },
  cip: { script: { user: TEXT, script: CIP_SCRIPT }, made: { user: optional(TEXT) } },
  investments: {
    add: { link: TEXT, investments: INVESTMENTS },
    remove: { link: TEXT, ids: TEXTS },
    change: { link: TEXT, changes: INVESTMENT_CHANGES },
    fill: { link: TEXT, count: COUNT, seed: optional(SEED) },
    move: { link: TEXT, how: HOW_A_LIST_MOVES },
    truth: { link: TEXT },
  },
  proxies: { configure: { proxy: PROXY }, forwarded: { proxy: optional(TEXT) } },
  webhooks: {
    register: { endpoint: ENDPOINT },
    unregister: { id: TEXT },
    setSecrets: { id: TEXT, secrets: TEXTS },
    emit: { event: WEBHOOK_EVENT, name: optional(TEXT) },
    messages: { filter: optional(MESSAGE_FILTER) },
    hold: {},
    release: { options: optional(RELEASE) },
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
