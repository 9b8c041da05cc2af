import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { InputError } from "../../src/domain/failures.js";
import { resolveTemporal } from "../../src/temporal/connection-settings.js";
import { eachTest, tempDirectory } from "../helpers/each-test.js";

const temp = eachTest(tempDirectory);
let file: string;
beforeEach(async () => {
  file = join(temp.path, "temporal.toml");
  await writeFile(file, '[profile.default]\naddress = "filed:7233"\n[profile.prod]\naddress = "prod:7233"\n');
});

test.each([
  ["nothing set", {}],
  ["an empty address", { TEMPORAL_ADDRESS: "", TEMPORAL_API_KEY: "" }],
  ["a namespace alone", { TEMPORAL_NAMESPACE: "other" }],
])("%s means the embedded mode", (_, env) => {
  expect(resolveTemporal(env)).toEqual({ mode: "embedded" });
});

test("an address alone means a cluster, its namespace default, without TLS", () => {
  expect(resolveTemporal({ TEMPORAL_ADDRESS: "t:7233", TEMPORAL_NAMESPACE: "" })).toEqual({
    mode: "cluster",
    address: "t:7233",
    namespace: "default",
    apiKey: undefined,
    tls: undefined,
    metadata: undefined,
  });
});

test("an API key turns TLS on unless TEMPORAL_TLS says otherwise", () => {
  const env = { TEMPORAL_ADDRESS: "t:7233", TEMPORAL_NAMESPACE: "n", TEMPORAL_API_KEY: "secret" };
  expect(resolveTemporal(env)).toMatchObject({ namespace: "n", apiKey: "secret", tls: true });
  expect(resolveTemporal({ ...env, TEMPORAL_TLS: "false" })).toMatchObject({ tls: false });
});

test("the default configuration file is not read unless a variable asks for it", async () => {
  const env = { XDG_CONFIG_HOME: temp.path, HOME: temp.path };
  await mkdir(join(temp.path, "temporalio"));
  await copyFile(file, join(temp.path, "temporalio", "temporal.toml"));
  expect(resolveTemporal(env)).toEqual({ mode: "embedded" });
  expect(resolveTemporal({ ...env, TEMPORAL_PROFILE: "prod" })).toMatchObject({ address: "prod:7233" });
  expect(resolveTemporal({ ...env, TEMPORAL_CONFIG_FILE: file })).toMatchObject({ address: "filed:7233" });
  const profile = { ...env, TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: "prod" };
  expect(resolveTemporal(profile)).toMatchObject({ address: "prod:7233" });
  expect(resolveTemporal({ ...profile, TEMPORAL_ADDRESS: "mine:7233" })).toMatchObject({
    address: "mine:7233",
  });
});

test.each([
  [
    "a configuration file that is not there",
    { TEMPORAL_CONFIG_FILE: "/no/such.toml" },
    "TEMPORAL_CONFIG_FILE: ",
  ],
  ["a profile that is not there", { TEMPORAL_PROFILE: "nope", HOME: "/no" }, "'nope'"],
  [
    "a certificate that is not there",
    {
      TEMPORAL_ADDRESS: "t:7233",
      TEMPORAL_TLS_CLIENT_CERT_PATH: "/no/cert",
      TEMPORAL_TLS_CLIENT_KEY_PATH: "/no/key",
    },
    "/no/cert",
  ],
])("%s is an input error that names it", (_, env, expected) => {
  expect(() => resolveTemporal(env)).toThrow(InputError);
  expect(() => resolveTemporal(env)).toThrow(expected);
});

test("a worker's version needs both of its settings, and none in embedded mode", () => {
  const TEMPORAL_ADDRESS = "temporal.example.com:7233";
  const both = { TEMPORAL_DEPLOYMENT_NAME: "ledger", TEMPORAL_WORKER_BUILD_ID: "0.1.0" };
  expect(resolveTemporal({ TEMPORAL_ADDRESS, ...both })).toMatchObject({
    version: { deploymentName: "ledger", buildId: "0.1.0" },
  });
  expect(resolveTemporal({ TEMPORAL_ADDRESS })).not.toHaveProperty("version");
  expect(resolveTemporal(both)).toEqual({ mode: "embedded" });
  for (const name of Object.keys(both))
    expect(() => resolveTemporal({ TEMPORAL_ADDRESS, ...both, [name]: "" })).toThrow(
      new RegExp(`is set, and ${name} is not.*Set both, or neither`),
    );
});
