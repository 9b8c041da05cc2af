import { existsSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../../src/config.js";
import { VARIABLES } from "../../src/config-values.js";
import { resolveTemporal } from "../../src/temporal/connection-settings.js";
import { unknownIn } from "../helpers/command/known-command.js";
import { ROOT, read } from "./source-tree.js";

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly restart?: string;
  readonly volumes?: readonly string[];
}

const text = read("docker-compose.yml");
const compose: { services: Record<string, Service>; volumes: Record<string, unknown> } = parse(text, {
  merge: true,
});
const services = Object.entries(compose.services);
/** What the file leaves to be given, filled in as a user would. */
const GIVEN: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: "pg-pass",
  NIGHTLEDGER_API_URL: "https://api.example.com",
  NIGHTLEDGER_API_KEY: "sk_test_compose",
  NIGHTLEDGER_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
  NIGHTLEDGER_WEBHOOK_SECRETS: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
};

function interpolated(value: string, more: Readonly<Record<string, string | undefined>>): string {
  return value.replace(
    /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g,
    (_, name, fallback) => more[name] ?? GIVEN[name] ?? fallback ?? "",
  );
}

/** Its address of draft 7 is spelled in a way that Ajv does not know; it is draft 7 by default. */
function composeSchema() {
  const text = read("test/repository/compose-spec.jsonschema");
  const schema = JSON.parse(text, (name, value) => (name === "$schema" ? undefined : value));
  return new Ajv({ strict: false, validateFormats: false }).compile(schema);
}

function environmentOf(
  service: string,
  more: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const given = Object.entries(compose.services[service]?.environment ?? {});
  return Object.fromEntries(given.map(([name, value]) => [name, interpolated(value, more)]));
}

describe("docker-compose.yml", () => {
  it("is what the Compose Specification's schema accepts", () => {
    const validate = composeSchema();
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
  });

  it("a worker has the limits that .env gives, and none where it gives none, so that it learns", () => {
    const names = Object.keys(VARIABLES).filter((name) => /_API_(FLEET_)?(CONCURRENCY|RPS)$/.test(name));
    expect(names).toHaveLength(4);
    const limits = (given: Readonly<Record<string, string>>) =>
      names.map((name) => environmentOf("worker", given)[name]);
    expect(limits({})).toEqual(names.map(() => ""));
    expect(limits(Object.fromEntries(names.map((name) => [name, "7"])))).toEqual(names.map(() => "7"));
  });

  it("every image is pinned to a full version, and server and tools are of one", () => {
    for (const [name, { image }] of services)
      expect(image, name).toMatch(/^[\w./-]+:v?\d+\.\d+(\.\d+)?(-\w+)?$/);
    expect(compose.services.temporal?.image.split(":")[1]).toBe(
      compose.services["temporal-schema"]?.image.split(":")[1],
    );
    expect(compose.services.postgresql?.image).toMatch(/:16\./);
    expect(compose.services.temporal?.image).toMatch(/:1\.32\./);
    expect(text).not.toMatch(/auto-setup/);
  });

  it.each([
    ["temporal", "temporal-server", "go.temporal.io/server"],
    ["bucket", "versitygw", "github.com/versity/versitygw"],
  ])("the %s of the tests is of its version", (service, tool, module) => {
    const [, version] = compose.services[service]?.image.split(/:v?/) ?? [];
    expect(read(`tools/${tool}/go.mod`)).toMatch(`\t${module} v${version} `);
  });

  it("every secret must be given: none has a default, none is in the file", () => {
    const secrets = services.flatMap(([name, { environment = {} }]) =>
      Object.entries(environment)
        .filter(([variable]) => /PASSWORD|PWD|API_KEY|ENCRYPTION_KEYS/.test(variable))
        .map(([variable, value]) => [`${name} ${variable}`, value] as const),
    );
    expect(secrets.length).toBeGreaterThanOrEqual(5);
    for (const [where, value] of secrets) expect(value, where).toMatch(/^\$\{\w+:\?.+\}$/);
  });

  it("variables of Nightledger are ones that it knows, and it takes those of worker and receiver", () => {
    const used = [...text.matchAll(/\bNIGHTLEDGER_\w+/g)].map(([name]) => name);
    expect(used.filter((name) => !Object.hasOwn(VARIABLES, name))).toEqual([]);
    const env = environmentOf("worker");
    const parts = ["api", "clusterKeys", "log", "temporal"] as const;
    expect(readConfig({ env, cwd: ROOT }, parts).api.url).toBe(GIVEN.NIGHTLEDGER_API_URL);
    expect(resolveTemporal(env)).toMatchObject({ mode: "cluster", address: "temporal:7233" });
    expect(environmentOf("temporal-namespace").TEMPORAL_NAMESPACE).toBe(env.TEMPORAL_NAMESPACE);
    const receiver = environmentOf("webhooks");
    expect(receiver).toMatchObject(env);
    expect(readConfig({ env: receiver, cwd: ROOT }, ["webhooks"]).webhooks.mode).toBe("test");
  });

  it("a lake in the bucket of the S3 server needs what docs/run/operate.md gives, and is not the default", () => {
    const given = read("docs/run/operate.md").match(/^(LAKE_ADDRESS|AWS_\w+)=.*$/gm) ?? [];
    const variables = Object.fromEntries(given.map((line) => line.split(/[=\s]+/, 2)));
    const [bucket] = /(?<=s3:\/\/)\w+/.exec(variables.LAKE_ADDRESS ?? "") ?? [];
    expect(compose.services.bucket?.entrypoint?.join(" ")).toContain(`/data/buckets/${bucket} `);
    expect(variables).toHaveProperty("AWS_ENDPOINT_URL_S3", "http://bucket:7070");
    for (const name of ["worker", "webhooks", "ui"]) {
      expect(environmentOf(name).NIGHTLEDGER_LAKE).toBe("/lake");
      expect(environmentOf(name, variables)).toMatchObject({
        NIGHTLEDGER_LAKE: variables.LAKE_ADDRESS,
        AWS_ENDPOINT_URL_S3: variables.AWS_ENDPOINT_URL_S3,
      });
    }
  });

  it("the database is reached from inside only, and no port is open to other machines", () => {
    expect(compose.services.postgresql?.ports).toBeUndefined();
    const ports = services.flatMap(([, { ports = [] }]) => ports);
    expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
  });

  it("who waits for a healthy service finds one with a healthcheck; jobs are waited for to their end", () => {
    for (const [name, { depends_on = {} }] of services) {
      for (const [target, { condition }] of Object.entries(depends_on)) {
        const found = compose.services[target];
        expect(found, `${name} → ${target}`).toBeDefined();
        if (condition === "service_healthy") expect(found?.healthcheck, target).toBeDefined();
        const isJob = found?.restart?.startsWith("on-failure") === true;
        expect(condition === "service_completed_successfully", `${name} → ${target}`).toBe(isJob);
      }
    }
    for (const name of ["postgresql", "temporal", "worker", "webhooks", "ui", "bucket", "sandbox"]) {
      expect(compose.services[name]?.healthcheck, name).toBeDefined();
    }
  });

  it("what is kept lies in named volumes, and files of the repository are mounted read-only", () => {
    for (const [name, { volumes = [] }] of services) {
      for (const volume of volumes) {
        const [source = "", , mode] = volume.split(":");
        if (!source.startsWith(".")) {
          expect(compose.volumes, `${name} ${volume}`).toHaveProperty([source]);
          continue;
        }
        expect(mode, `${name} ${volume}`).toBe("ro");
        expect(existsSync(join(ROOT, source)), source).toBe(true);
      }
    }
  });

  it("Temporal's UI, the receiver, the board, the S3 server and the stand-in are there only when their profiles ask for them", () => {
    const optional = services.filter(([, { profiles }]) => profiles !== undefined).map(([name]) => name);
    expect(optional).toEqual(["temporal-ui", "webhooks", "ui", "bucket", "sandbox"]);
    // It has no login, and takes what any web page asks.
    expect(compose.services["temporal-ui"]?.ports).toBeUndefined();
  });

  it.each(["worker", "webhooks", "ui", "sandbox"])(
    "%s runs a command that the program has, with flags that it has",
    (name) => expect(unknownIn(compose.services[name]?.command ?? [])).toEqual([]),
  );
});
