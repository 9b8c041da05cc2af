import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import type { LakePlace } from "../../domain/lake-address.js";
import { type CopiedFolder, copyLake, endCopy } from "../../lake/copy/copy-lake.js";
import { openStore } from "../../lake/store/open-store.js";
import { showResult } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { proveLake, verifiedText } from "./verify-lake.js";

/** Copies a lake, proves the copy and binds it. Returns the exit code. @throws InputError naming the address that is wrong */
export async function runCopy(terminal: Terminal, from: string, to: string, json: boolean): Promise<number> {
  const place = placeAt(terminal, "<to>", to);
  const [source, target] = [openStore(placeAt(terminal, "<from>", from)), openStore(place)];
  if (source.address === target.address) throw new InputError(`<from> and <to> are both ${source.address}.`);
  await target.checkWritable("<to>");
  const folders: CopiedFolder[] = [];
  const binding = await copyLake(source, target, (copied) => {
    folders.push(copied);
    terminal.say(`${copied.folder}: ${copied.objects} objects, ${copied.bytes} bytes${keptWords(copied)}`);
  });
  const report = await proveLake(terminal, place, {});
  if (report.ok) await endCopy(source, target, binding);
  const { ok, root, problems } = report;
  const said = { from: source.address, to: target.address, lake: binding.lake, ok, root, problems, folders };
  showResult(terminal, json, said, () => verifiedText(report));
  terminal.say(
    ok
      ? `The lake is in ${target.address} now: set NIGHTLEDGER_LAKE to it wherever jobs run, and keep or delete ${source.address}; no job may use both.`
      : "The copy is not used: it does not prove itself. End what runs in the first lake, and copy it again.",
  );
  return ok ? EXIT.completed : EXIT.failures;
}

function keptWords({ kept }: CopiedFolder): string {
  return kept === 0 ? "" : `, ${kept} of them were there already`;
}

/** The place at an address that was given as an argument. */
function placeAt(terminal: Terminal, argument: string, address: string): LakePlace {
  try {
    const env = { ...terminal.env, NIGHTLEDGER_LAKE: address };
    return readConfig({ ...terminal, env }, ["lake"]).lake;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.message.replaceAll("NIGHTLEDGER_LAKE", argument));
  }
}
