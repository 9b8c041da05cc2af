import { InputError } from "../../domain/failures.js";
import { copyLake, endCopy } from "../../lake/copy/copy-lake.js";
import type { TakenFolder } from "../../lake/copy/lake-parts.js";
import { openStore } from "../../lake/store/open-store.js";
import { placeAt } from "../lake/query.js";
import { folderWords } from "../lake/snapshot.js";
import { type JsonFlag, showResult } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { proveLake, verifiedText } from "./verify-lake.js";

/** Copies a lake, proves the copy and binds it. Returns the exit code. @throws InputError naming the address that is wrong */
export async function runCopy(
  terminal: Terminal,
  from: string,
  to: string,
  { json }: JsonFlag,
): Promise<number> {
  const place = placeAt(terminal, "<to>", to);
  const [source, target] = [openStore(placeAt(terminal, "<from>", from)), openStore(place)];
  if (source.address === target.address) throw new InputError(`<from> and <to> are both ${source.address}.`);
  await source.isThere();
  await target.checkWritable("<to>");
  const folders: TakenFolder[] = [];
  const binding = await copyLake(source, target, (copied) => {
    folders.push(copied);
    terminal.say(folderWords(copied));
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
