import { ok } from "../http/answer.js";
import type { Operation } from "../http/router.js";
import { userOf } from "../owner.js";

/** GET /users/{fp_id} (docs/reference/service.md, "User lookup"; its shape is not shown there). */
export const getUser: Operation = {
  name: "get_user",
  method: "GET",
  path: "/users/{fp_id}",
  handle: (call) => ok(userOf(call).text),
};
