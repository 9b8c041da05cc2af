import { defaultPayloadConverter, type Payload } from "@temporalio/common";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/domain/failures.js";
import { CompressionCodec, dataConverter } from "../../../src/temporal/encryption/payload-codec.js";
import { TEST_KEYS } from "../../helpers/temporal/temporal-environment.js";

const codec = new CompressionCodec();
const payload = (value: unknown) => defaultPayloadConverter.toPayload(value) as Payload;
const opened = (given: Payload | undefined) => defaultPayloadConverter.fromPayload(given as Payload);
const bytesOf = (payloads: readonly Payload[]) =>
  payloads.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);

const progress = Array.from({ length: 400 }, (_, link) => ({
  link,
  attempt: 0,
  pages: 1,
  cursor: `c${link}`,
}));

describe("the compression codec", () => {
  test("what repeats itself becomes much smaller, and comes back as it was", async () => {
    const given = [payload(progress)];
    const encoded = await codec.encode(given);
    expect(bytesOf(encoded)).toBeLessThan(bytesOf(given) / 5);
    expect(Buffer.from(encoded[0]?.metadata?.encoding ?? []).toString()).toBe("binary/zlib");
    expect(opened((await codec.decode(encoded))[0])).toEqual(progress);
  });

  test("small payloads, and those that would grow, stay as they are", async () => {
    const noise = crypto.getRandomValues(new Uint8Array(4_000));
    const given = [
      payload({ run: "r1" }),
      { metadata: { encoding: Buffer.from("binary/plain") }, data: noise },
    ];
    expect(await codec.encode(given)).toEqual(given);
    expect(await codec.decode(given)).toEqual(given);
  });

  test("a damaged one is refused in words", async () => {
    const [encoded] = await codec.encode([payload(progress)]);
    const data = Buffer.from(encoded?.data ?? []).subarray(0, 50);
    await expect(codec.decode([{ ...encoded, data }])).rejects.toThrow(InputError);
  });

  test("the product compresses before it encrypts, and opens what was written before it compressed", async () => {
    const { payloadCodecs } = dataConverter(TEST_KEYS, "default");
    const [, encryption] = payloadCodecs;
    let encoded = [payload(progress)];
    for (const each of payloadCodecs) encoded = await each.encode(encoded);
    expect(bytesOf(encoded)).toBeLessThan(bytesOf([payload(progress)]) / 5);
    expect(Buffer.from(encoded[0]?.metadata?.encoding ?? []).toString()).toBe("binary/encrypted");
    const older = (await encryption?.encode([payload(progress)])) ?? [];
    for (const given of [encoded, older]) {
      let decoded = given;
      for (const each of [...payloadCodecs].reverse()) decoded = await each.decode(decoded);
      expect(opened(decoded[0])).toEqual(progress);
    }
  });
});
