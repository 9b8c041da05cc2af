import { generateKeyPairSync, sign } from "node:crypto";

/** A certificate and its key, both PEM. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const ECDSA_WITH_SHA256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

/** Makes a certificate that signs itself, good for this year and next, so that no key is kept in the repository. */
export function selfSigned(name: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const year = new Date().getUTCFullYear() % 100;
  const time = (at: number) => element(0x17, Buffer.from(`${String(at).padStart(2, "0")}0101000000Z`));
  const subject = sequence(
    element(0x31, sequence(objectId(0x55, 0x04, 0x03), element(0x0c, Buffer.from(name)))),
  );
  const contents = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    subject,
    sequence(time(year), time(year + 2)),
    subject,
    publicKey.export({ format: "der", type: "spki" }),
  );
  const signature = element(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", contents, privateKey)]));
  const der = sequence(contents, ECDSA_WITH_SHA256, signature).toString("base64");
  const lines = der.replace(/.{64}/g, "$&\n").trimEnd();
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts));
}

function objectId(...bytes: readonly number[]): Buffer {
  return element(0x06, Buffer.from(bytes));
}

function element(tag: number, contents: Buffer): Buffer {
  const size = contents.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), contents]);
}
