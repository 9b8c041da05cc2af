import { createHmac } from "node:crypto";
import { isSame } from "../../../temporal/listen.js";

/** Who may see the board, and how that is known (docs/inside/security.md, "The board"). */
export type Door =
  /** The address that is printed has a token, which becomes a cookie. */
  | { readonly kind: "token"; readonly token: string; readonly user: string }
  /** Any user name with this password. */
  | { readonly kind: "password"; readonly password: string }
  /** A proxy before the board says who it is. */
  | { readonly kind: "header"; readonly header: string };

/** What is known of a request before anything is read. */
interface Knock {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** `token` in its address. */
  readonly token: string | undefined;
}

type Verdict =
  | { readonly kind: "in"; readonly user: string }
  /** The token was right: the cookie is set, and the address without it asked for. */
  | { readonly kind: "cookie"; readonly cookie: string }
  | { readonly kind: "out"; readonly status: 401 | 403; readonly words: string };

const FOREIGN_FORM = "another site sent this form";
const NO_HOST = "a proxy on the way does not pass on Host as the browser sent it";
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Decides who comes in. */
export function decide(door: Door, knock: Knock): Verdict {
  const { headers, method } = knock;
  const host = text(headers.host);
  // Another name that leads here is another site's, which would read in its visitors' names (DNS rebinding).
  if (door.kind === "token" && !LOOPBACK.test(host))
    return out(403, "this board answers to 127.0.0.1 and localhost only");
  const origin = text(headers.origin);
  const isForeign = origin !== "" && origin.replace(/^https?:\/\//, "") !== host;
  if (method !== "GET" && method !== "HEAD" && (origin === "" || isForeign))
    return out(403, door.kind === "token" ? FOREIGN_FORM : `${FOREIGN_FORM}, or ${NO_HOST}`);
  if (isForeign) return out(403, "another site asks");
  return entered(door, knock);
}

function entered(door: Door, { headers, token }: Knock): Verdict {
  if (door.kind === "header") {
    const user = text(headers[door.header.toLowerCase()]);
    return user === "" ? out(401, `no ${door.header} header: ask through the proxy`) : { kind: "in", user };
  }
  if (door.kind === "password") {
    const [, encoded = ""] = /^Basic (\S+)$/.exec(text(headers.authorization)) ?? [];
    const [user = "", ...password] = Buffer.from(encoded, "base64").toString("utf8").split(":");
    if (isSame(password.join(":"), door.password)) return { kind: "in", user: user || "somebody" };
    return out(401, "give any user name and the password of NIGHTLEDGER_UI_PASSWORD");
  }
  const session = sessionOf(door.token);
  // Cookies know no ports: two boards of one machine would take each other's place.
  const cookie = `nightledger_board_${/:(\d+)$/.exec(text(headers.host))?.[1] ?? ""}`;
  if (token !== undefined && isSame(token, door.token))
    return { kind: "cookie", cookie: `${cookie}=${session}; HttpOnly; SameSite=Strict; Path=/` };
  const given = new RegExp(`(?:^|; )${cookie}=([^;]*)`).exec(text(headers.cookie))?.[1] ?? "";
  if (isSame(given, session)) return { kind: "in", user: door.user };
  return out(401, "open the address that `nightledger ui` has printed; it holds the token");
}

/** What a form must repeat, which another site can't know. @param secret of this process */
export function formKey(secret: string, user: string): string {
  return createHmac("sha256", secret).update(`form of ${user}`).digest("base64url");
}

function sessionOf(token: string): string {
  return createHmac("sha256", token).update("session").digest("base64url");
}

function text(header: string | string[] | undefined): string {
  return typeof header === "string" ? header : "";
}

function out(status: 401 | 403, words: string): Verdict {
  return { kind: "out", status, words };
}
