import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { VARIABLES } from "../../src/config-values.js";
import { unknownIn } from "../helpers/command/known-command.js";
import { read } from "./source-tree.js";

const FILES = ["settings", "worker", "receiver"].map((name) => `deploy/kubernetes/${name}.yaml`);

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly generateName?: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly template?: {
      readonly spec: {
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly env?: readonly { readonly name: string; readonly value: string }[];
        }[];
        readonly volumes: readonly {
          readonly name: string;
          readonly emptyDir?: { readonly sizeLimit?: string };
        }[];
      };
    };
  };
}

const objects = FILES.flatMap((file) =>
  parseAllDocuments(read(file), { merge: true }).map((found) => found.toJS() as KubernetesObject),
);
const models = createRequire(import.meta.url);

/** Holds an object to the schema of its kind. @throws Error naming the field that is wrong */
function validate({ apiVersion, kind, ...rest }: KubernetesObject): void {
  const module = models(`kubernetes-models/${apiVersion}/${kind}`);
  new module[kind](rest).validate();
}

const named = objects.map(
  (object) => [`${object.kind} ${object.metadata.name ?? object.metadata.generateName}`, object] as const,
);

describe("deploy/kubernetes", () => {
  it.each(named)("%s is what the schema of its kind accepts", (_, object) => {
    expect(() => validate(object)).not.toThrow();
  });

  it("everything is in one namespace, and no secret has a value", () => {
    const spaces = objects
      .filter(({ kind }) => kind !== "Namespace")
      .map(({ metadata }) => metadata.namespace);
    expect(new Set(spaces)).toEqual(new Set(["nightledger"]));
    const secrets = objects.flatMap(({ stringData = {} }) => Object.entries(stringData));
    expect(secrets.map(([, value]) => value)).toEqual(secrets.map(() => ""));
    expect(secrets.map(([name]) => name)).toContain("NIGHTLEDGER_ENCRYPTION_KEYS");
  });

  it("variables of Nightledger are ones that it knows", () => {
    const used = FILES.flatMap((file) =>
      [...read(file).matchAll(/\bNIGHTLEDGER_\w+/g)].map(([name]) => name),
    );
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !Object.hasOwn(VARIABLES, name))).toEqual([]);
  });

  it("copies of objects are fewer bytes than each volume of scratch may have, and leave room for SQL", () => {
    const shared = objects.find(({ kind }) => kind === "ConfigMap")?.data ?? {};
    const pods = objects.flatMap(({ spec }) => spec?.template?.spec ?? []);
    const limits = pods.map(({ containers, volumes }) => {
      const own = containers[0]?.env?.find(({ name }) => name === "NIGHTLEDGER_SCRATCH_MB")?.value;
      const scratch = volumes.find(({ name }) => name === "scratch")?.emptyDir?.sizeLimit ?? "";
      return {
        megabytes: Number(own ?? shared.NIGHTLEDGER_SCRATCH_MB),
        gibibytes: Number.parseInt(scratch, 10),
      };
    });
    expect(limits).toHaveLength(2);
    for (const { megabytes, gibibytes } of limits) expect(megabytes).toBeLessThanOrEqual(gibibytes * 512);
  });

  it("containers run commands that the program has, with flags that it has", () => {
    const commands = objects
      .flatMap(({ spec }) => spec?.template?.spec.containers ?? [])
      .map(({ args }) => args);
    expect(commands).toHaveLength(2);
    for (const args of commands) expect(unknownIn(args)).toEqual([]);
  });
});
