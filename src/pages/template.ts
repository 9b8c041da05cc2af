import { Eta } from "eta/core";

// Control characters are no text of HTML; a browser would guess.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Escapes whatever `<%= … %>` writes; `<%~ … %>` is for what a template made. */
const eta = new Eta({
  autoEscape: true,
  autoFilter: true,
  filterFunction: (value) => String(value ?? "").replaceAll(CONTROL, "\ufffd"),
  cache: false,
});

/** Compiles a template once; its data is `it`. */
export function template(source: string): (data: object) => string {
  const compiled = eta.compile(source);
  return (data) => eta.render(compiled, data);
}
