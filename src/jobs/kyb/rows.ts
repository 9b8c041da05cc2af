import { z } from "zod";
import { idText, ownIdText } from "../../api/file-fields.js";
import type { BusinessInsights } from "../../api/schemas/business-insights.js";
import type { OnboardingItem } from "../../api/schemas/onboarding.js";
import type { RowEnd } from "../../domain/bulk/bulk-job.js";
import { instantOf } from "../../domain/bulk/cip/report.js";
import type { Sealer } from "../../domain/sealer.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import { sealRowRepeatably } from "../../lake/tables/encrypted-column.js";
import {
  businessAddresses,
  businessInsights,
  businessNames,
  businessPeople,
  businessPhoneNumbers,
  businessRegistrationOfficers,
  businessRegistrations,
  businessWatchlistHits,
  KYB_TABLES,
} from "../../lake/tables/kyb.js";

export const businessRow = z.object({
  fp_bid: idText,
  external_id: ownIdText.optional(),
  /** The business's person. */
  fp_id: idText.optional(),
});

export type BusinessRow = z.output<typeof businessRow>;

export interface BusinessOnboarding {
  readonly onboarding: OnboardingItem;
  /** `none`: the service has no insights; `not_ended`: not requested while the onboarding goes on. */
  readonly state: "found" | "none" | "not_ended" | "refused";
  /** Null unless `found`. A number that a double can't hold is text. */
  readonly insights: BusinessInsights | null;
  /** ISO instant of the answer. */
  readonly askedAt: string | null;
}

/** A business's onboardings by id. */
export interface BusinessResult {
  readonly onboardings: readonly BusinessOnboarding[];
  /** The first refusal, where other onboardings have insights. */
  readonly failure?: Pick<RowEnd, "reason" | "refused"> | undefined;
}

type Row = Readonly<Record<string, unknown>>;
type Rows = readonly Row[];
type KybRows = Readonly<Record<(typeof KYB_TABLES)[number]["name"], Rows>>;

/** Columns of child tables that are no fields. */
const NO_FIELDS = new Set([
  ...["run_id", "fp_bid", "onboarding_id", "registration", "screened", "entity", "screened_entity_name"],
  ...["position", "absent", "nulls", "other_fields"],
]);

export function kybRows(
  business: BusinessRow,
  onboardings: readonly BusinessOnboarding[],
  runId: string,
  sealer: Sealer,
): KybRows {
  const found = onboardings.map((one) => onboardingRows(business, one, runId, sealer));
  const rows = KYB_TABLES.map(({ name }) => [name, found.flatMap((one) => one[name])]);
  const { fp_bid, external_id = null, fp_id = null } = business;
  const none = { run_id: runId, fp_bid, external_id, fp_id, insights: "no_onboarding" };
  return {
    ...(Object.fromEntries(rows) as KybRows),
    // Says that the service was asked.
    ...(onboardings.length === 0 && { business_insights: [none] }),
  };
}

function onboardingRows(
  business: BusinessRow,
  found: BusinessOnboarding,
  runId: string,
  sealer: Sealer,
): KybRows {
  const { fp_bid } = business;
  const { insights, onboarding } = found;
  const key = { run_id: runId, fp_bid, onboarding_id: onboarding.id };
  const sealed = (table: TableSpec, rows: Rows) =>
    rows.map((row) => sealRowRepeatably(sealer, table, fp_bid, { ...key, ...row }));
  const list = (table: TableSpec, objects: readonly object[] | null | undefined, place: Row = {}) =>
    sealed(table, childRows(table, objects ?? [], place));
  const { addresses, names, people, registrations, details, watchlist } = insights ?? {};
  return {
    business_addresses: list(businessAddresses, addresses),
    business_names: list(businessNames, names),
    business_people: list(businessPeople, people),
    business_registrations: sealed(
      businessRegistrations,
      childRows(businessRegistrations, registrations ?? [], {}, ["officers"]),
    ),
    business_registration_officers: (registrations ?? []).flatMap(({ officers }, index) =>
      list(businessRegistrationOfficers, officers, { registration: index + 1 }),
    ),
    business_watchlist_hits: (["business", "people"] as const).flatMap((screened) =>
      (watchlist?.[screened] ?? []).flatMap(({ hits, screened_entity_name = null }, index) =>
        list(businessWatchlistHits, hits, { screened, entity: index + 1, screened_entity_name }),
      ),
    ),
    business_phone_numbers: list(businessPhoneNumbers, details?.phone_numbers),
    business_insights: sealed(businessInsights, [insightsRow(business, found)]),
  };
}

/** @param more fields with a table of their own */
function childRows(
  { columns }: TableSpec,
  objects: readonly object[],
  place: Row,
  more: readonly string[] = [],
): Row[] {
  const fields = columns.map(({ name }) => name).filter((name) => !NO_FIELDS.has(name));
  return objects.map((object, index) => {
    const taken = new TakenFields();
    const values = taken.take(object, [...fields, ...more]);
    const cells = fields.map((name) => [name, cellOf(values[name])]);
    return { ...place, position: index + 1, ...Object.fromEntries(cells), ...taken.columns };
  });
}

function insightsRow(
  { external_id, fp_id }: BusinessRow,
  { onboarding, state, insights, askedAt }: BusinessOnboarding,
): Row {
  const taken = new TakenFields();
  const own = ["id", "external_id", "playbook_key", "status", "timestamp"] as const;
  const begun = taken.take(onboarding, own, "onboarding.");
  const parts = ["addresses", "details", "names", "people", "registrations", "watchlist"] as const;
  const { details: known, watchlist: lists } = taken.take(insights, parts) as Partial<BusinessInsights>;
  const about = ["entity_type", "formation_date", "formation_state"] as const;
  const details = taken.take(known, [...about, "phone_numbers", "tin", "website"], "details.");
  const tin = taken.take(details.tin, ["tin", "potential_match", "verified"], "details.tin.");
  const website = taken.take(details.website, ["url", "verified"], "details.website.");
  const watchlist = taken.take(lists, ["hit_count", "business", "people"], "watchlist.");
  const screened = (part: "business" | "people") =>
    lists?.[part].map((entity, index) => {
      const path = `watchlist.${part}.${index + 1}.`;
      return taken.take(entity, ["screened_entity_name", "hits"], path).screened_entity_name;
    });
  return {
    external_id: external_id ?? null,
    fp_id: fp_id ?? null,
    onboarding_external_id: begun.external_id,
    playbook_key: onboarding.playbook_key,
    status: onboarding.status,
    created_at: instantOf(onboarding.timestamp),
    created_at_text: onboarding.timestamp,
    insights: state,
    asked_at: askedAt,
    ...Object.fromEntries(about.map((name) => [name, details[name]])),
    tin: tin.tin,
    tin_potential_match: tin.potential_match,
    tin_verified: tin.verified,
    website_url: website.url,
    website_verified: website.verified,
    watchlist_hit_count: cellOf(watchlist.hit_count),
    screened_businesses: cellOf(screened("business")),
    screened_people: cellOf(screened("people")),
    ...taken.columns,
  };
}

/** A number as its text, a list as JSON. */
function cellOf(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  return typeof value === "string" || typeof value === "boolean" ? value : JSON.stringify(value);
}

type Fields = Readonly<Record<string, unknown>>;

/** Takes an answer's fields into columns, and notes which were left out, null, or without a column. */
export class TakenFields {
  readonly #absent: string[] = [];
  readonly #nulls: string[] = [];
  readonly #others: [path: string, value: unknown][] = [];

  /**
   * The values of an object's fields; where the object is missing, only that is noted.
   * @param prefix its path, such as `details.tin.`
   */
  take<N extends string>(object: unknown, names: readonly N[], prefix = ""): Record<N, unknown> {
    const given = (object ?? undefined) as Fields | undefined;
    const values = names.map((name) => {
      const value = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
      if (given !== undefined && value === undefined) this.#absent.push(prefix + name);
      if (value === null) this.#nulls.push(prefix + name);
      return [name, value ?? null] as const;
    });
    const others = Object.keys(given ?? {}).filter((name) => !(names as readonly string[]).includes(name));
    for (const name of others.sort()) this.#others.push([prefix + name, given?.[name]]);
    return Object.fromEntries(values) as Record<N, unknown>;
  }

  /** The last columns of every KYB table. */
  get columns() {
    return {
      absent: JSON.stringify(this.#absent),
      nulls: JSON.stringify(this.#nulls),
      other_fields: this.#others.length === 0 ? null : JSON.stringify(Object.fromEntries(this.#others)),
    };
  }
}
