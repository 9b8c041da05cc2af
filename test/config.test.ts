import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ConfigParts, readConfig, scopeOf } from "../src/config.js";
import { InputError } from "../src/domain/failures.js";

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "nightledger-config-")));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const API = { NIGHTLEDGER_API_URL: "https://api.example.com/", NIGHTLEDGER_API_KEY: "sk_test_1234" };

function refusal(env: Record<string, string>, part: keyof ConfigParts): string {
  try {
    readConfig({ env, cwd }, [part]);
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).message;
  }
  throw new Error("the configuration was accepted");
}

describe("defaults", () => {
  it("are those of docs/run/configuration.md, and reading writes nothing", () => {
    const config = readConfig({ env: API, cwd }, ["api", "lake", "home", "keys", "temporal", "log"]);
    expect(config.api).toEqual({
      url: "https://api.example.com",
      key: "sk_test_1234",
      words: { eventPrefix: "service.", cipSegment: "brokerage" },
      concurrency: 32,
      rps: undefined,
      fleet: { concurrency: Number.POSITIVE_INFINITY, rps: Number.POSITIVE_INFINITY },
      headersTimeoutMs: 30_000,
      bodyTimeoutMs: 60_000,
      maxBodyBytes: 16 * 1024 * 1024,
    });
    expect(config.lake.address).toBe(join(cwd, "lake"));
    expect(config.home.path).toBe(join(cwd, ".nightledger"));
    expect(config.keys.encryptionKeys).toBeUndefined();
    expect(config.temporal.env).toEqual({});
    expect(config.log.level).toBe("info");
    expect(config.warnings).toEqual([]);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("sources", () => {
  it("the environment wins over .env, an empty variable counts as not set", () => {
    writeFileSync(
      join(cwd, ".env"),
      'NIGHTLEDGER_API_RPS=5\nNIGHTLEDGER_API_CONCURRENCY="7"\nTEMPORAL_ADDRESS=a:1\n',
    );
    const env = {
      ...API,
      NIGHTLEDGER_API_CONCURRENCY: "9",
      NIGHTLEDGER_API_RPS: "",
      TEMPORAL_NAMESPACE: "n",
    };
    const config = readConfig({ env, cwd }, ["api", "temporal"]);
    expect(config.api.concurrency).toBe(9);
    expect(config.api.rps).toBeUndefined();
    expect(config.temporal.env).toEqual({ TEMPORAL_ADDRESS: "a:1", TEMPORAL_NAMESPACE: "n" });
  });

  it("a .env that can't be read is refused", () => {
    mkdirSync(join(cwd, ".env"));
    expect(refusal({}, "lake")).toContain(".env can't be read");
  });

  it("only the parts asked for are required", () => {
    expect(readConfig({ env: { NIGHTLEDGER_API_URL: "nonsense" }, cwd }, ["lake"]).lake.address).toBe(
      join(cwd, "lake"),
    );
  });
});

describe("a bad value is refused, naming the variable and what is accepted", () => {
  const cases: [string, keyof ConfigParts, Record<string, string>, string[]][] = [
    ["no address", "api", { NIGHTLEDGER_API_URL: "" }, ["NIGHTLEDGER_API_URL is not set", "https://"]],
    ["no key", "api", { NIGHTLEDGER_API_KEY: "" }, ["NIGHTLEDGER_API_KEY is not set"]],
    ["not an address", "api", { NIGHTLEDGER_API_URL: "api" }, ["NIGHTLEDGER_API_URL is not an address"]],
    ["ftp", "api", { NIGHTLEDGER_API_URL: "ftp://x" }, ["is not an HTTP address"]],
    ["credentials", "api", { NIGHTLEDGER_API_URL: "https://u:pw@x" }, ["has credentials"]],
    ["query", "api", { NIGHTLEDGER_API_URL: "https://x/?a=1" }, ["has a query"]],
    ["bare question mark", "api", { NIGHTLEDGER_API_URL: "https://x/?" }, ["has a query"]],
    ["key with colon", "api", { NIGHTLEDGER_API_KEY: "secretpart:b" }, ["NIGHTLEDGER_API_KEY has"]],
    ["concurrency 0", "api", { NIGHTLEDGER_API_CONCURRENCY: "0" }, ['is "0"', "1 to 1024"]],
    ["concurrency 1e3", "api", { NIGHTLEDGER_API_CONCURRENCY: "1e3" }, ["NIGHTLEDGER_API_CONCURRENCY"]],
    ["rps negative", "api", { NIGHTLEDGER_API_RPS: "-1" }, ["NIGHTLEDGER_API_RPS", "positive number"]],
    [
      "no bucket",
      "lake",
      { NIGHTLEDGER_LAKE: "s3:///x" },
      ["NIGHTLEDGER_LAKE", "no address of a bucket", "a directory, or s3://bucket/prefix"],
    ],
    ["other address", "lake", { NIGHTLEDGER_LAKE: "gs://bucket" }, ["NIGHTLEDGER_LAKE", "unsupported kind"]],
    ["cluster without keys", "clusterKeys", {}, ["NIGHTLEDGER_ENCRYPTION_KEYS is not set"]],
    ["mode", "webhooks", { NIGHTLEDGER_WEBHOOK_MODE: "prod" }, ["NIGHTLEDGER_WEBHOOK_MODE", "test, live"]],
    [
      "webhook secret",
      "webhooks",
      { NIGHTLEDGER_WEBHOOK_SECRETS: "secretpart" },
      ["entry 1 is not a webhook secret"],
    ],
    [
      "webhook secret cut short",
      "webhooks",
      { NIGHTLEDGER_WEBHOOK_SECRETS: "whsec_MTIzNDU2Nzg5MA==, whsec_MTIzNDU2Nzg5M" },
      ["entry 2 is not a webhook secret"],
    ],
    [
      "webhook secret where none is required",
      "webhooksIfAny",
      { NIGHTLEDGER_WEBHOOK_SECRETS: "secretpart" },
      ["entry 1 is not a webhook secret"],
    ],
    [
      "no webhook secret",
      "webhooks",
      { NIGHTLEDGER_WEBHOOK_SECRETS: "" },
      ["NIGHTLEDGER_WEBHOOK_SECRETS is not set"],
    ],
    ["level", "log", { NIGHTLEDGER_LOG_LEVEL: "loud" }, ["NIGHTLEDGER_LOG_LEVEL", "debug"]],
  ];
  it.each(cases)("%s", (_, part, env, parts) => {
    const message = refusal({ NIGHTLEDGER_WEBHOOK_SECRETS: "whsec_MTIzNDU2Nzg5MA==", ...API, ...env }, part);
    for (const text of [...parts, "nothing was started"]) expect(message).toContain(text);
    expect(message).not.toMatch(/pw@|secretpart/);
  });

  it("a lake that is a file, or below one", () => {
    writeFileSync(join(cwd, "file"), "");
    expect(refusal({ NIGHTLEDGER_LAKE: "file" }, "lake")).toContain("not a directory");
    expect(refusal({ NIGHTLEDGER_LAKE: "file/lake" }, "lake")).toContain("ENOTDIR");
  });
});

describe("canonical addresses", () => {
  it.each([
    ["HTTPS://API.Example.com:443/v1//", "https://api.example.com/v1"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["https://x/a/../b/", "https://x/b"],
  ])("%s is %s", (given, canonical) => {
    const { api, warnings } = readConfig({ env: { ...API, NIGHTLEDGER_API_URL: given }, cwd }, ["api"]);
    expect(api.url).toBe(canonical);
    expect(warnings).toEqual([]);
  });

  it("one directory has one lake address, however it is named and whether it is there", () => {
    const addressOf = (lake: string) =>
      readConfig({ env: { NIGHTLEDGER_LAKE: lake }, cwd }, ["lake"]).lake.address;
    mkdirSync(join(cwd, "real"));
    symlinkSync(join(cwd, "real"), join(cwd, "link"));
    expect(addressOf("link/data/lake/")).toBe(join(cwd, "real", "data", "lake"));
    expect(addressOf("./real/../link/data/lake")).toBe(join(cwd, "real", "data", "lake"));
    mkdirSync(join(cwd, "real", "data", "lake"), { recursive: true });
    expect(addressOf("link/data/lake")).toBe(join(cwd, "real", "data", "lake"));
  });

  it("the scope is fixed text: it is part of workflow ids", () => {
    expect(scopeOf("https://api.example.com", "/data/lake")).toBe("2b2674ba");
    expect(scopeOf("https://api.example.com", "/data/lake2")).not.toBe(
      scopeOf("https://api.example.com", "/data/lake"),
    );
  });
});

describe("warnings and secrets", () => {
  it("an unknown variable is named with the nearest known one, without its value", () => {
    const { warnings } = readConfig({ env: { NIGHTLEDGER_API_CONCURENCY: "secretpart" }, cwd }, ["lake"]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("did you mean NIGHTLEDGER_API_CONCURRENCY?");
    expect(warnings[0]).not.toContain("secretpart");
  });

  it("a key sent in the clear to another host is warned of", () => {
    const env = { ...API, NIGHTLEDGER_API_URL: "http://api.example.com" };
    expect(readConfig({ env, cwd }, ["api"]).warnings[0]).toContain("unencrypted");
  });

  it("every configured secret is known to the redaction", () => {
    const env = {
      ...API,
      NIGHTLEDGER_ENCRYPTION_KEYS: "k1:AAAA, k2:BBBB",
      NIGHTLEDGER_WEBHOOK_SECRETS: "whsec_CCCC",
      TEMPORAL_API_KEY: "DDDD",
    };
    const { secrets } = readConfig({ env, cwd }, []);
    expect([...secrets].sort()).toEqual(["AAAA", "BBBB", "DDDD", "sk_test_1234", "whsec_CCCC"]);
  });
});
