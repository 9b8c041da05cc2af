import type { Sandbox } from "../../../sandbox/index.js";
import { instantOf } from "../../../src/domain/bulk/cip/report.js";
import type { Sealer } from "../../../src/domain/sealer.js";
import { openColumn } from "../../../src/lake/tables/encrypted-column.js";
import { KYB_TABLES } from "../../../src/lake/tables/kyb.js";

type Row = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: a look into a document of many optional parts
type Insights = Readonly<Record<string, any>>;

/** The statuses of onboardings that go on. */
const GO_ON = ["pending", "incomplete"];

/** A field with what tells absent from null, as the columns of a row have both. */
function fields(object: Insights, names: readonly string[], prefix = "") {
  return {
    values: Object.fromEntries(names.map((name) => [name, object[name] ?? null])),
    absent: names.filter((name) => !(name in object)).map((name) => prefix + name),
    nulls: names.filter((name) => object[name] === null).map((name) => prefix + name),
  };
}

const ADDRESS = [
  ...["address_line1", "address_line2", "city", "state", "postal_code", "latitude", "longitude", "cmra"],
  ...["deliverable", "verified", "submitted", "property_type", "sources"],
];
const NAME = ["kind", "name", "sources", "sub_status", "submitted", "verified"];
const PERSON = ["name", "role", "sources", "association_verified", "submitted"];
const REGISTRATION = [
  ...["addresses", "entity_type", "file_number", "jurisdiction", "name", "registered_agent"],
  ...["registration_date", "source", "state", "status", "sub_status"],
];
const HIT = [
  ...["agency", "agency_abbr", "agency_information_url", "agency_list_url", "entity_name", "list_country"],
  ...["list_name", "url", "entity_addresses", "entity_aliases"],
];

/** The rows that an export of businesses must have, by table, worked out from what the stand-in serves. */
export function expectedKybRows(
  sandbox: Sandbox,
  runId: string,
  fpIds: Readonly<Record<string, string>> = {},
) {
  const rows: Record<string, Row[]> = Object.fromEntries(KYB_TABLES.map(({ name }) => [name, []]));
  const onboardings = sandbox.businesses
    .list()
    .flatMap((business) =>
      sandbox.onboardings.of(business.id).map((onboarding) => ({ business, onboarding })),
    );
  for (const { business, onboarding } of onboardings) {
    const key = { run_id: runId, fp_bid: business.id, onboarding_id: onboarding.id };
    const isEnded = !GO_ON.includes(onboarding.status);
    const insights = isEnded
      ? (JSON.parse(JSON.stringify(sandbox.businesses.insights(business, onboarding.id))) as Insights)
      : undefined;
    rows.business_insights?.push({ ...key, ...insightsRow(business, onboarding, insights, fpIds) });
    if (insights === undefined) continue;
    const add = (table: string, objects: readonly Insights[], names: readonly string[], more: Row = {}) => {
      for (const [index, object] of objects.entries()) {
        const { values, absent, nulls } = fields(object, names);
        const notes = { absent: JSON.stringify(absent), nulls: JSON.stringify(nulls), other_fields: null };
        rows[table]?.push({ ...key, ...more, position: index + 1, ...values, ...notes });
      }
    };
    add("business_addresses", insights.addresses, ADDRESS);
    add("business_names", insights.names, NAME);
    add("business_people", insights.people, PERSON);
    add("business_registrations", insights.registrations, REGISTRATION);
    add("business_phone_numbers", insights.details?.phone_numbers ?? [], ["phone", "submitted", "verified"]);
    for (const [index, { officers }] of insights.registrations.entries())
      add("business_registration_officers", officers, ["name", "roles"], { registration: index + 1 });
    for (const screened of ["business", "people"]) {
      const entities = (insights.watchlist?.[screened] ?? []) as Insights[];
      for (const [index, { screened_entity_name, hits }] of entities.entries())
        add("business_watchlist_hits", hits, HIT, { screened, entity: index + 1, screened_entity_name });
    }
  }
  return Object.fromEntries(Object.entries(rows).map(([table, list]) => [table, list.map(asTexts).sort()]));
}

function insightsRow(
  business: { readonly id: string; readonly external_id: string | undefined },
  onboarding: { readonly status: string; readonly playbook_key: string; readonly timestamp: string },
  insights: Insights | undefined,
  fpIds: Readonly<Record<string, string>>,
): Row {
  const { details, watchlist } = insights ?? {};
  const parts = [
    ...(insights ? [fields(insights, ["details", "watchlist"])] : []),
    ...(details
      ? [
          fields(
            details,
            ["entity_type", "formation_date", "formation_state", "phone_numbers", "tin", "website"],
            "details.",
          ),
        ]
      : []),
    ...(details?.tin ? [fields(details.tin, ["tin", "potential_match", "verified"], "details.tin.")] : []),
    ...(details?.website ? [fields(details.website, ["url", "verified"], "details.website.")] : []),
  ];
  const names = (entities: Insights[] | undefined) =>
    entities === undefined ? null : JSON.stringify(entities.map((one) => one.screened_entity_name));
  return {
    external_id: business.external_id ?? null,
    fp_id: fpIds[business.id] ?? null,
    onboarding_external_id: null,
    playbook_key: onboarding.playbook_key,
    status: onboarding.status,
    created_at: instantOf(onboarding.timestamp),
    created_at_text: onboarding.timestamp,
    insights: insights === undefined ? "not_ended" : "found",
    entity_type: details?.entity_type ?? null,
    formation_date: details?.formation_date ?? null,
    formation_state: details?.formation_state ?? null,
    tin: details?.tin?.tin ?? null,
    tin_potential_match: details?.tin?.potential_match ?? null,
    tin_verified: details?.tin?.verified ?? null,
    website_url: details?.website?.url ?? null,
    website_verified: details?.website?.verified ?? null,
    watchlist_hit_count: watchlist?.hit_count ?? null,
    screened_businesses: names(watchlist?.business),
    screened_people: names(watchlist?.people),
    absent: JSON.stringify(["onboarding.external_id", ...parts.flatMap(({ absent }) => absent)]),
    nulls: JSON.stringify(parts.flatMap(({ nulls }) => nulls)),
    other_fields: null,
  };
}

/** The rows of a table as they were read, opened and without the time of the answer, to compare with the expected ones. */
export function readKybRows(sealer: Sealer, table: string, rows: readonly Row[]): string[] {
  const { columns } = KYB_TABLES.find(({ name }) => name === table) ?? { columns: [] };
  const encrypted = columns.flatMap((column) => ("encrypted" in column ? [column.name as string] : []));
  return rows
    .map(({ asked_at: _, ...row }) => {
      const opened = encrypted.map((name) => {
        const value = row[name];
        return [name, value === null ? null : openColumn(sealer, table, name, String(value))];
      });
      return asTexts({ ...row, ...Object.fromEntries(opened) });
    })
    .sort();
}

/** A row as one text, whatever the order of its columns and the types of its values. */
function asTexts(row: Row): string {
  const cells = Object.entries(row).map(([name, value]) => [name, textOf(value)] as const);
  return JSON.stringify(cells.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
