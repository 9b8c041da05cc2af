import { expect, test } from "vitest";
import { shownWords } from "../../../src/cli/commands/declared-options.js";

test.for([
  ["sync --roster users.csv --full", "sync --roster users.csv --full"],
  ["proxy --header x-key:secret --requests a", "proxy --header … --requests a"],
  ["proxy --header=x-key:a=b --header @headers", "proxy --header=… --header @headers"],
  ["runs retry r1 --header=@headers", "runs retry r1 --header=@headers"],
  ["onboard --continuation-command ./send?token=1", "onboard --continuation-command …"],
  ["export vault --hmac-key key.txt", "export vault --hmac-key key.txt"],
] as const)("of %s the table runs shows %s", ([typed, shown]) => {
  expect(shownWords(typed.split(" "))).toEqual(shown.split(" "));
});
