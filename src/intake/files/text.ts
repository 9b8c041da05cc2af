import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { InputError } from "../../domain/failures.js";
import { foreignForm } from "./foreign-forms.js";

export interface InputFile {
  readonly path: string;
  /** In messages, such as `roster`. */
  readonly name: string;
  /** Such as `--roster`. */
  readonly option: string;
  /** Where its reader keeps all rows in memory. */
  readonly mostBytes?: number;
}

/** A line that never ends must not fill the memory. */
export const LONGEST_ROW = 16 * 1024 * 1024;

export function fileError({ name, path }: InputFile, problem: string, advice: string): InputError {
  return new InputError(`${name} ${path} ${problem}. Nothing was started. ${advice}`);
}

/** Thrown when a file stops being CSV at a line. */
export class MalformedFileError extends InputError {
  constructor(
    file: InputFile,
    readonly line: number,
    readonly rule: string,
  ) {
    const advice = "Fix the file and run the command again.";
    super(fileError(file, `line ${line}: ${rule}`, advice).message);
  }
}

const SAVE_AS = "Save it as CSV UTF-8, or as UTF-8 with one JSON object a line.";

/**
 * Reads a file in pieces, without a BOM; nothing of one that holds only white space.
 * @throws InputError for a file that is not there, too large, not UTF-8, or of another form.
 */
export async function* textOf(file: InputFile): AsyncGenerator<string> {
  let blank = "";
  let isBlank = true;
  for await (const piece of decoded(file)) {
    isBlank &&= blank.length <= LONGEST_ROW && piece.trim() === "";
    if (isBlank) blank += piece;
    else {
      yield blank + piece;
      blank = "";
    }
  }
}

/** A small file that only an option names, such as a key. @throws InputError */
export async function givenBytes(path: string, option: string): Promise<Buffer> {
  return readFile(path).catch(async (error: unknown) => {
    throw await readFailure({ path, name: option, option }, error);
  });
}

/** The first kilobytes, which show the form. @throws InputError */
export async function startOf(file: InputFile): Promise<string> {
  let text = "";
  try {
    await checkFile(file);
    for await (const bytes of createReadStream(file.path, { end: 4095 })) text += String(bytes);
  } catch (error) {
    throw await readFailure(file, error);
  }
  return text.replace(/^\ufeff/, "");
}

async function* decoded(file: InputFile): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isFirst = true;
  try {
    await checkFile(file);
    for await (const bytes of createReadStream(file.path) as AsyncIterable<Buffer>) {
      const foreign = isFirst ? foreignForm(bytes) : undefined;
      if (foreign !== undefined) throw fileError(file, `is ${foreign}`, SAVE_AS);
      isFirst = false;
      const text = decoder.decode(bytes, { stream: true });
      if (text !== "") yield text;
    }
    decoder.decode();
  } catch (error) {
    throw await readFailure(file, error);
  }
}

/** A file is read more than once, so it is no pipe. A directory fails when it is read. */
async function checkFile(file: InputFile): Promise<void> {
  const { path, mostBytes, option } = file;
  const found = await stat(path);
  if (!found.isFile() && !found.isDirectory()) {
    const advice = `It is read more than once: write it to a file, and give that to ${option}.`;
    throw fileError(file, "is not a regular file", advice);
  }
  if (mostBytes !== undefined && found.size > mostBytes)
    throw fileError(file, `is larger than ${mostBytes} bytes`, "Split it.");
}

async function readFailure(file: InputFile, error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof InputError) return error;
  const code = "code" in error ? error.code : undefined;
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
    const { line, byte } = await badByte(file.path);
    return fileError(file, `line ${line}, byte ${byte} of the line: not UTF-8`, SAVE_AS);
  }
  if (code === "ENOENT") return fileError(file, "is not there", `Check the path given to ${file.option}.`);
  if (code === "EISDIR") return fileError(file, "is a directory", `Give a file to ${file.option}.`);
  if (code === undefined) return error;
  return fileError(file, `can't be read (${code})`, "Check its permissions.");
}

/** Reads the file again: decoding does not say where it failed. */
async function badByte(path: string): Promise<{ line: number; byte: number }> {
  let line = 0;
  for await (const text of createInterface(createReadStream(path, "latin1"))) {
    line += 1;
    const bytes = Buffer.from(text, "latin1");
    const good = bytes.toString().replace(/\ufffd.*/, "");
    if (!isUtf8(bytes)) return { line, byte: Buffer.byteLength(good) + 1 };
  }
  return { line, byte: 1 };
}
