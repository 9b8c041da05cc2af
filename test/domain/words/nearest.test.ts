import { expect, test } from "vitest";
import { nearestOf } from "../../../src/domain/words/nearest.js";

const NAMES = ["cip", "id.email", "id.ssn4", "id.ssn9", "id.first_name", "id.city"];

test.each<[string, string | undefined]>([
  ["id.emial", "id.email"],
  ["id.e-mail", "id.email"],
  ["id.firstname", "id.first_name"],
  ["id.ssn", "id.ssn4"],
  ["id.sin9", "id.ssn9"],
  ["id.favourite_colour", undefined],
  ["nope", undefined],
])("%s is most probably %s", (text, name) => expect(nearestOf(NAMES, text)).toBe(name));
