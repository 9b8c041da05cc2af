import { Readable } from "node:stream";
import { InputError } from "../../domain/failures.js";
import type { ByteSource } from "../schemas/byte-source.js";

/** A body while it is sent: the stream for undici, and the failure of its source. */
export interface StreamedBody {
  readonly stream: Readable;
  /** The failure of the source itself, not of the connection. */
  readonly failure: () => unknown;
}

/**
 * Streams a source as a request body, calling `onProgress` for each piece taken.
 * A source that is not as long as it said fails: the rest of its length would never come.
 */
export function streamBody(operation: string, source: ByteSource, onProgress: () => void): StreamedBody {
  let failure: unknown;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let size = 0;
    try {
      for await (const piece of source.open()) {
        size += piece.byteLength;
        if (source.size !== undefined && size > source.size) break;
        yield piece;
        onProgress();
      }
      if (source.size !== undefined && size !== source.size) {
        throw new InputError(
          `${operation}: the body is not as long as it was when the call began; it was broken off. Send it again when nobody writes to it`,
        );
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return { stream: Readable.from(pieces(), { objectMode: false }), failure: () => failure };
}
