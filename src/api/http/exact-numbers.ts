// Not whole texts: a regular expression that repeats a group runs out of memory in a long one.
const TOKENS = /\\.|"|-?\d[\d.eE+-]*/g;

/** Parses JSON and gives as text each number that a double would change or write otherwise. @throws SyntaxError */
export function parseExactly(json: string): unknown {
  // First as it is: quotes around what is no number could make valid JSON of an invalid text.
  const value: unknown = JSON.parse(json);
  let isInText = false;
  const quoted = json.replace(TOKENS, (token) => {
    if (token === '"') isInText = !isInText;
    const isNumber = !isInText && token !== '"';
    return isNumber && String(Number(token)) !== token ? `"${token}"` : token;
  });
  return quoted === json ? value : JSON.parse(quoted);
}
