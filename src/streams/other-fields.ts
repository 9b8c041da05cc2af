import { rawMembers } from "../domain/json/text.js";
import { exceedsMoney, withoutExponent } from "../domain/service/transaction-values.js";
import { hasTime, type KnownFields, OTHER_FIELDS } from "./row-shape.js";

/**
 * Moves fields without a column into one text, a JSON object with sorted names; each value stays as it came, because a
 * parser would round its numbers.
 * @param json of an object without a repeated key
 */
export function withOtherFields(json: string, known: KnownFields): string {
  const others: [path: string, value: string][] = [];
  const members = membersOf(json, known, others);
  if (others.length === 0) return json;
  const sorted = others.sort(([a], [b]) => (a < b ? -1 : 1));
  return objectOf([...members, [OTHER_FIELDS, JSON.stringify(objectOf(sorted))]]);
}

type Member = readonly [name: string, value: string];

function membersOf(json: string, { path, fields }: KnownFields, others: Member[]): Member[] {
  const members: Member[] = [];
  for (const [name, value] of rawMembers(json)) {
    const within = fields.get(name);
    const plain = () => (value.startsWith('"') ? (JSON.parse(value) as string) : withoutExponent(value));
    const isLong = within === "money" && exceedsMoney(plain());
    if (within === undefined || isLong || hasTime(path + name, value.length - 2))
      others.push([path + name, value]);
    if (within === undefined) continue;
    if (isLong) members.push([name, "null"]);
    else if (within === null || within === "money" || !value.startsWith("{")) members.push([name, value]);
    else members.push([name, objectOf(membersOf(value, within, others))]);
  }
  return members;
}

function objectOf(members: readonly Member[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}
