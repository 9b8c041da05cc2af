import { ApplicationFailure, defaultPayloadConverter, type Payload } from "@temporalio/common";
import { loadDataConverter } from "@temporalio/common/lib/internal-non-workflow/index.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/domain/failures.js";
import { isUnsealed } from "../../../src/domain/sealer.js";
import { parseEncryptionKeys } from "../../../src/temporal/encryption/keys.js";
import {
  CompressionCodec,
  dataConverter,
  EncryptionCodec,
} from "../../../src/temporal/encryption/payload-codec.js";

const secret = (fill: number) => Buffer.alloc(32, fill).toString("base64");
const keys = parseEncryptionKeys(`k1:${secret(1)}`);
const codec = new EncryptionCodec(keys, "default");

const payloads = fc.array(
  fc.record({
    metadata: fc.dictionary(fc.string({ maxLength: 20 }), fc.uint8Array({ maxLength: 40 })),
    data: fc.uint8Array({ maxLength: 2_000 }),
  }),
  { maxLength: 5 },
);

const plain = ({ metadata, data }: Payload) => ({
  data: Buffer.from(data ?? []).toString("hex"),
  metadata: Object.entries(metadata ?? {})
    .map(([name, value]) => [name, Buffer.from(value ?? []).toString("hex")])
    .sort(),
});

const plainText = ({ data }: Payload) => Buffer.from(data ?? []).toString("latin1");
const payload = (value: unknown) => defaultPayloadConverter.toPayload(value) as Payload;

async function sealed(value: unknown): Promise<Payload> {
  const [first] = await codec.encode([payload(value)]);
  if (first === undefined) throw new Error("nothing was encoded");
  return first;
}

describe("the payload codec", () => {
  test("whatever is encoded decodes to the same", async () => {
    await fc.assert(
      fc.asyncProperty(payloads, async (given) => {
        const back = await codec.decode(await codec.encode(given));
        expect(back.map(plain)).toEqual(given.map(plain));
      }),
    );
  });

  test("nothing of the payload but the encoding and the key's id is readable", async () => {
    const encoded = await sealed({ name: "Jane Doe" });
    expect(Object.keys(encoded.metadata ?? {}).sort()).toEqual(["encoding", "encryption-key-id"]);
    expect(Buffer.from(encoded.data ?? []).toString("latin1")).not.toContain("Jane");
  });

  test("another key under the same id is refused", async () => {
    const other = new EncryptionCodec(parseEncryptionKeys(`k1:${secret(9)}`), "default");
    await expect(other.decode([await sealed("x")])).rejects.toThrow(/key "k1" does not open/);
  });

  test("the key's id is bound: a payload relabelled to another known key is refused", async () => {
    const twins = parseEncryptionKeys(`k1:${secret(1)},twin:${secret(1)}`);
    const encoded = await sealed("x");
    const relabelled = {
      ...encoded,
      metadata: { ...encoded.metadata, "encryption-key-id": Buffer.from("twin") },
    };
    await expect(new EncryptionCodec(twins, "default").decode([relabelled])).rejects.toThrow(InputError);
  });

  test("the namespace is bound: a payload moved to another namespace is refused", async () => {
    await expect(new EncryptionCodec(keys, "other").decode([await sealed("x")])).rejects.toThrow(InputError);
  });

  test("nothing is left of a payload that is not sealed, compressed or not", async () => {
    const [, encryption] = dataConverter(keys, "default").payloadCodecs;
    const plain = payload({ retainDays: -1 });
    const zipped = await new CompressionCodec().encode([payload("plain".repeat(400))]);
    const opened = (await encryption?.decode([plain, ...zipped])) ?? [];
    expect(opened.map((one) => isUnsealed(defaultPayloadConverter.fromPayload(one)))).toEqual([true, true]);
    expect(JSON.stringify(opened.map(plainText))).not.toMatch(/retain|plain/);
  });
});

describe("the failure converter", () => {
  test("loads by its path; message and stack are moved into a payload and the type stays readable", () => {
    const { failureConverter, payloadConverter } = loadDataConverter(dataConverter(keys, "default"));
    const given = ApplicationFailure.create({ message: "key sk_live_1 refused", type: "AuthError" });
    const failure = failureConverter.errorToFailure(given, payloadConverter);
    expect(failure.message).toBe("Encoded failure");
    expect(failure.stackTrace).toBe("");
    expect(failure.applicationFailureInfo?.type).toBe("AuthError");
    const { encodedAttributes, ...readable } = failure;
    expect(JSON.stringify(readable)).not.toContain("sk_live_1");
    expect(encodedAttributes).toBeDefined();
    const back = failureConverter.failureToError(failure, payloadConverter);
    expect(back.message).toBe("key sk_live_1 refused");
  });
});
