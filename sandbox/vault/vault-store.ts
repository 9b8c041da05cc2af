import { createHash } from "node:crypto";
import { InputError } from "../../src/domain/failures.js";
import type { Clock } from "../clock.js";
import type { WebhookStore } from "../webhooks/webhook-store.js";
import { addDays } from "../world/days.js";
import { Random } from "../world/random.js";
import { isVaultValue, type VaultValue } from "./fields.js";

const FIRST_NAMES = ["Ada", "Zoë", "Miloš", "Nadia", "José", "Ingrid", "Kwame", "Yuki", "Siobhán", "Omar"];
const LAST_NAMES = [
  "Novák",
  "O'Brien",
  "García",
  "Müller",
  "Okafor",
  "Tanaka",
  "Smith",
  "Łukasz",
  "D'Angelo",
];
const STREETS = ["Main St", "Oak Avenue", "5th Street", "Calle Ocho", "Žitná"];
const CITIES = [
  ["Springfield", "IL", "62701"],
  ["Portland", "OR", "97201"],
  ["Miami", "FL", "33101"],
  ["Boise", "ID", "83702"],
] as const;

/** The identity that a user's vault holds at the start: invented, the same for the same seed and user. */
function seededIdentity(seed: string | number, fpId: string): Readonly<Record<string, string>> {
  const random = new Random(`${seed}/identity/${fpId}`);
  const first = random.pick(FIRST_NAMES);
  const last = random.pick(LAST_NAMES);
  const [city, state, zip] = random.pick(CITIES);
  // 900 to 999 are never given out as social security numbers.
  const ssn9 = `9${String(random.int(100_000_000)).padStart(8, "0")}`;
  return {
    "id.first_name": first,
    "id.last_name": last,
    "id.dob": addDays("1940-01-01", random.int(23_000)),
    "id.ssn9": ssn9,
    "id.ssn4": ssn9.slice(-4),
    "id.address_line1": `${1 + random.int(9_999)} ${random.pick(STREETS)}`,
    "id.city": city,
    "id.state": state,
    "id.zip": zip,
    "id.country": "US",
    "id.email": `${fpId.replace(/[^A-Za-z0-9]/g, "-")}@example.com`,
    "id.phone_number": `+1555555${String(random.int(10_000)).padStart(4, "0")}`,
  };
}

/** What one identifier of a vault holds. */
type VaultEntry =
  | { readonly kind: "value"; readonly value: VaultValue }
  | {
      readonly kind: "bytes";
      readonly bytes: Buffer;
      readonly sha256: string;
      readonly content_type: string | undefined;
    };

/** A read of a vault; names of transforms only, because their arguments may be keys. */
interface Decryption {
  readonly at: string;
  readonly entity_id: string;
  readonly fields: readonly string[];
  readonly reason: string | undefined;
  readonly transforms: readonly string[];
  readonly by: "client_token" | "vault_proxy";
}

/** The vaults of all users and businesses, and every read of them. */
export class VaultStore {
  readonly #vaults = new Map<string, Map<string, VaultEntry>>();
  readonly #decryptions: Decryption[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly webhooks: WebhookStore,
    /** Of the identities that users have at the start; `undefined`: vaults are empty. */
    private readonly identitySeed: string | number | undefined,
  ) {}

  /** What was written under an identifier. */
  entry(entityId: string, identifier: string): VaultEntry | undefined {
    return this.#vaults.get(entityId)?.get(identifier);
  }

  /** The value of an identifier; uploaded bytes as their text where they are UTF-8, else in base64. */
  value(entityId: string, identifier: string): VaultValue | undefined {
    const entry = this.entry(entityId, identifier);
    if (entry === undefined) return this.#identity(entityId)[identifier];
    if (entry.kind === "value") return entry.value;
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(entry.bytes);
    } catch {
      return entry.bytes.toString("base64");
    }
  }

  /** Writes values, and tells it by webhook. @throws InputError for what no vault can hold. */
  write(entityId: string, values: Readonly<Record<string, VaultValue>>): void {
    const names = Object.keys(values);
    for (const name of names) {
      if (!isVaultValue(values[name]) && !Array.isArray(values[name]))
        throw new InputError(`vault: ${name} must be a string, integer, boolean, object or list`);
    }
    for (const name of names) this.#vault(entityId).set(name, { kind: "value", value: values[name]! });
    if (names.length > 0) this.#tell(entityId, names);
  }

  /** Writes uploaded bytes, and tells it by webhook. */
  upload(entityId: string, identifier: string, bytes: Buffer, contentType: string | undefined): void {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    this.#vault(entityId).set(identifier, { kind: "bytes", bytes, sha256, content_type: contentType });
    this.#tell(entityId, [identifier]);
  }

  /** What a vault holds, uploads by their size and digest. */
  contents(entityId: string): Record<string, unknown> {
    const entries = [...(this.#vaults.get(entityId) ?? [])].map(([name, entry]) => {
      if (entry.kind === "value") return [name, entry.value];
      const { sha256, content_type } = entry;
      return [name, { bytes: entry.bytes.length, sha256, content_type }];
    });
    return { ...this.#identity(entityId), ...Object.fromEntries(entries) };
  }

  note(decryption: Omit<Decryption, "at">): void {
    this.#decryptions.push({ at: this.clock.text(), ...decryption });
  }

  /** Every read of a vault, or of an entity's, the first one first. */
  decryptions(entityId?: string): Decryption[] {
    return this.#decryptions.filter((one) => entityId === undefined || one.entity_id === entityId);
  }

  #vault(entityId: string): Map<string, VaultEntry> {
    const vault = this.#vaults.get(entityId) ?? new Map<string, VaultEntry>();
    this.#vaults.set(entityId, vault);
    return vault;
  }

  #identity(entityId: string): Readonly<Record<string, string>> {
    if (this.identitySeed === undefined || entityId.startsWith("fp_bid_")) return {};
    return seededIdentity(this.identitySeed, entityId);
  }

  #tell(entityId: string, fields: readonly string[]): void {
    const timestamp = this.clock.text();
    this.webhooks.emit({ event_kind: "service.vault.updated", fp_id: entityId, timestamp, fields });
  }
}
