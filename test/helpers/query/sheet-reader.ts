import { inflateRawSync } from "node:zlib";

/** A cell of a sheet as its file has it: `t` is its type, `s` its style. */
interface SheetCell {
  readonly value: string | undefined;
  readonly t?: string;
  readonly s?: string;
}

/** Reads the only sheet of a file of Excel, row by row; a cell that the file leaves out is missing in its row. */
export function readSheet(file: Buffer): Record<string, SheetCell>[] {
  const sheet = unzipped(file, "xl/worksheets/sheet1.xml");
  return [...sheet.matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(([, row = ""]) => {
    const cells = [...row.matchAll(/<c r="([A-Z]+)\d+"([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)];
    return Object.fromEntries(
      cells.map(([, column = "", attributes = "", inner = ""]) => {
        const given = [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]);
        const text = inner.replace(/<t[^>]*\/>/, "<t></t>");
        const [, value] = /<(?:v|t)(?: [^>]*)?>(.*?)<\/(?:v|t)>/s.exec(text) ?? [];
        return [column, { ...Object.fromEntries(given), value: value && unescaped(value) }];
      }),
    );
  });
}

function unescaped(text: string): string {
  return text
    .replace(/&(lt|gt|amp);/g, (_, name: string) => ({ lt: "<", gt: ">" })[name] ?? "&")
    .replace(/_x([\dA-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Reads one entry of a ZIP file by the directory at its end. */
export function unzipped(file: Buffer, name: string): string {
  const end = file.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  let at = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [names, extras, comments] = [28, 30, 32].map((offset) => file.readUInt16LE(at + offset));
    const found = file.toString("utf8", at + 46, at + 46 + (names ?? 0));
    if (found === name) {
      const local = file.readUInt32LE(at + 42);
      const begin = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
      const bytes = file.subarray(begin, begin + file.readUInt32LE(at + 20));
      return inflateRawSync(bytes).toString("utf8");
    }
    at += 46 + (names ?? 0) + (extras ?? 0) + (comments ?? 0);
  }
  throw new Error(`no ${name} in the file`);
}
