import { hash } from "node:crypto";

/** What a cursor means. `page` 0 is a cursor at rest: the next call begins a new update. */
export interface CursorState {
  readonly position: number;
  readonly page: number;
  /** Cursors of an older epoch than the link's are always refused. */
  readonly cursorEpoch: number;
  /** Cursors in the middle of an update of an older epoch are refused. */
  readonly updateEpoch: number;
  /** Length of the log that a compacted history replaces; then `position` counts in it. 0 without one. */
  readonly snapshot: number;
}

const MAC_BYTES = 12;
const STATE_BYTES = 20;

/** Makes and reads random-looking cursors; only this key's cursors for this link can be read, so no table is kept. */
export class CursorCodec {
  constructor(private readonly key: string) {}

  encode(linkId: string, state: CursorState): string {
    const plain = Buffer.alloc(STATE_BYTES);
    plain.writeUIntBE(state.position, 0, 6);
    plain.writeUInt32BE(state.page, 6);
    plain.writeUInt16BE(state.cursorEpoch, 10);
    plain.writeUInt16BE(state.updateEpoch, 12);
    plain.writeUIntBE(state.snapshot, 14, 6);
    const mac = this.#mac(linkId, plain);
    return Buffer.concat([mac, this.#masked(mac, plain)]).toString("base64url");
  }

  /** `undefined` for a text that was never given out for this link. */
  decode(linkId: string, token: string): CursorState | undefined {
    const bytes = Buffer.from(token, "base64url");
    if (bytes.length !== MAC_BYTES + STATE_BYTES || bytes.toString("base64url") !== token) return undefined;
    const mac = bytes.subarray(0, MAC_BYTES);
    const plain = this.#masked(mac, bytes.subarray(MAC_BYTES));
    if (!mac.equals(this.#mac(linkId, plain))) return undefined;
    return {
      position: plain.readUIntBE(0, 6),
      page: plain.readUInt32BE(6),
      cursorEpoch: plain.readUInt16BE(10),
      updateEpoch: plain.readUInt16BE(12),
      snapshot: plain.readUIntBE(14, 6),
    };
  }

  // Hashed in one go: a stand-in's cursors keep no secret, and an HMAC costs several times as much.
  #mac(linkId: string, plain: Buffer): Buffer {
    return digest(`${this.key}\0${linkId}\0${plain.toString("latin1")}`).subarray(0, MAC_BYTES);
  }

  #masked(mac: Buffer, bytes: Buffer): Buffer {
    const masked = digest(`${this.key}\0mask\0${mac.toString("latin1")}`).subarray(0, bytes.length);
    for (let at = 0; at < masked.length; at++) masked[at]! ^= bytes[at]!;
    return masked;
  }
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
