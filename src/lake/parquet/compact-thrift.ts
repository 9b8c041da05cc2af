/** Types of fields in Thrift's compact protocol, as far as this program needs them. */
const TYPES = { true: 1, false: 2, byte: 3, double: 7, binary: 8, list: 9, set: 10, map: 11, struct: 12 };

/** A size in a list's header, or a delta in a field's, that means: the number follows the header. */
const LONG = 15;

/** Reads Thrift's compact protocol, in which a Parquet footer is written. */
export class ThriftReader {
  constructor(
    readonly bytes: Buffer,
    public at = 0,
  ) {}

  byte(): number {
    return this.bytes.readUInt8(this.at++);
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  /** A whole number of 16, 32 or 64 bits; exact up to 2^53, which no offset in a file exceeds. */
  integer(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  binary(): Buffer {
    const size = this.varint();
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }

  /** Reads the header of the struct's next field, after field `last`; undefined at the end of the struct. */
  field(last: number): { id: number; type: number } | undefined {
    const header = this.byte();
    if (header === 0) return undefined;
    const delta = header >> 4;
    return { id: delta === 0 ? this.integer() : last + delta, type: header & LONG };
  }

  list(): { size: number; type: number } {
    const header = this.byte();
    const size = header >> 4;
    return { size: size === LONG ? this.varint() : size, type: header & LONG };
  }

  /** Calls `read` at each field's value; `read` must read the value, or return false to have it skipped. */
  struct(read: (id: number, type: number) => unknown): void {
    let last = 0;
    for (let field = this.field(last); field !== undefined; field = this.field(last)) {
      last = field.id;
      if (read(field.id, field.type) === false) this.skip(field.type);
    }
  }

  skip(type: number): void {
    if (type === TYPES.true || type === TYPES.false) return;
    if (type === TYPES.byte) this.at += 1;
    else if (type === TYPES.double) this.at += 8;
    else if (type === TYPES.binary) this.#skipBinary();
    else if (type === TYPES.struct) this.struct(() => false);
    else if (type === TYPES.list || type === TYPES.set) this.#skipList();
    else if (type === TYPES.map) this.#skipMap();
    else while (this.byte() >= 0x80);
  }

  #skipBinary(): void {
    const size = this.varint();
    this.at += size;
  }

  #skipList(): void {
    const { size, type } = this.list();
    for (let at = 0; at < size; at += 1) this.#skipElement(type);
  }

  #skipMap(): void {
    const size = this.varint();
    if (size === 0) return;
    const types = this.byte();
    for (let at = 0; at < size; at += 1) {
      this.#skipElement(types >> 4);
      this.#skipElement(types & LONG);
    }
  }

  /** A boolean is part of a field's header, but one byte in a list. */
  #skipElement(type: number): void {
    if (type === TYPES.true || type === TYPES.false) this.at += 1;
    else this.skip(type);
  }
}

export class ThriftWriter {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #size = 0;

  written(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  raw(bytes: Buffer, from: number, to: number): void {
    this.#reserve(to - from);
    this.#size += bytes.copy(this.#bytes, this.#size, from, to);
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#size = this.#bytes.writeUInt8(byte, this.#size);
  }

  varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) | 0x80);
    this.byte(rest);
  }

  /** Writes a whole number that is not negative. */
  integer(value: number): void {
    this.varint(value * 2);
  }

  field(id: number, type: number, last: number): void {
    const delta = id - last;
    if (delta > 0 && delta <= LONG) this.byte((delta << 4) | type);
    else {
      this.byte(type);
      this.integer(id);
    }
  }

  list(size: number, type: number): void {
    this.byte((Math.min(size, LONG) << 4) | type);
    if (size >= LONG) this.varint(size);
  }

  #reserve(more: number): void {
    if (this.#size + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#size + more));
    this.#bytes.copy(larger, 0, 0, this.#size);
    this.#bytes = larger;
  }
}

/** How to change a field of a copied struct: leave it out, or write it by a function that reads it. */
type Change = "left out" | ((reader: ThriftReader, writer: ThriftWriter) => void);

/** Copies a struct. Fields without a change keep their bytes, and neighbouring ones are copied together. */
export function copyStruct(
  reader: ThriftReader,
  writer: ThriftWriter,
  changes: Readonly<Record<number, Change>>,
): void {
  let [last, lastWritten, copied] = [0, 0, reader.at];
  for (;;) {
    const start = reader.at;
    const field = reader.field(last);
    if (field === undefined) break;
    const { id, type } = field;
    const change = changes[id];
    // A field's header counts from the one before it.
    if (change === undefined && lastWritten === last) {
      reader.skip(type);
      lastWritten = id;
    } else {
      writer.raw(reader.bytes, copied, start);
      if (change !== "left out") {
        writer.field(id, type, lastWritten);
        lastWritten = id;
        copied = reader.at;
      }
      if (typeof change === "function") change(reader, writer);
      else reader.skip(type);
      if (change !== undefined) copied = reader.at;
    }
    last = id;
  }
  writer.raw(reader.bytes, copied, reader.at);
}
