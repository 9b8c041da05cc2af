import { jsonObjectOf } from "../src/domain/json/value.js";
import type { Business } from "./businesses/business-store.js";
import { notFound, Refusal, refuse } from "./http/answer.js";
import type { Call } from "./http/router.js";
import type { ClientToken } from "./vault/token-store.js";
import { isConnected } from "./world/advance.js";
import type { BankLink } from "./world/bank-link.js";
import type { User } from "./world/world.js";

/** The user that a call is about. @throws Refusal 404 */
export function userOf({ params, state }: Call): User {
  return state.world.users.get(params.fp_id ?? "") ?? notFound("no such user");
}

/** The business that a call is about. @throws Refusal 404 */
export function businessOf({ params, state }: Call): Business {
  return state.businesses.find(params.fp_bid ?? "") ?? notFound("no such business");
}

/** The link that a call is about. @throws Refusal 404, also by a `link_gone` fault; 401 of the last connected link with `refused-link` */
export function linkOf(call: Call): BankLink {
  const { world, service } = call.state;
  const link = world.links.get(call.params.link_id ?? "");
  if (!link || call.fire("link_gone")) return notFound("no such bank link");
  if (service.behaves.has("refused-link") && link === [...world.links.values()].findLast(isConnected))
    throw new Refusal(401, "unauthorized", "the bank lets nobody see this link any more");
  return link;
}

/** The link whose rows a call reads: of one in state `error` they are refused, unless it behaves so that they stay readable. */
export function readableLinkOf(call: Call): BankLink {
  const link = linkOf(call);
  if (isInError(link) && !call.state.service.behaves.has("readable-errors"))
    refuse("this link is in state error");
  return link;
}

export function isInError(link: BankLink): boolean {
  return jsonObjectOf(link.text)?.state === "error";
}

/** The client token that a client operation came with: the request handler refuses one without. */
export function tokenOf({ token }: Call): ClientToken {
  return token!;
}
