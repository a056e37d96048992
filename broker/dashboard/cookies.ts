import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import type { AppContext } from "../http/app-types.ts";
import type { Done } from "./page.ts";

type Kept = { readonly isHttps: boolean };
const flashSchema = z.object({
  said: z.string(),
  undo: z.object({ label: z.string(), action: z.string() }).optional(),
});
/** What the last action said; shown once. */
export type Flash = Pick<Done, "said" | "undo">;

const names = { session: "svc_session", flash: "svc_said", begun: "svc_begun" } as const;
const flashSeconds = 60;
const begunSeconds = 600;

/** Under HTTPS nobody but this very host may have set it; plain HTTP, on one's own machine, cannot promise that. */
const nameOf = (name: keyof typeof names, { isHttps }: Kept): string =>
  isHttps ? `__Host-${names[name]}` : names[name];

const optionsOf = ({ isHttps }: Kept) =>
  ({ path: "/", httpOnly: true, sameSite: "Lax", secure: isHttps }) as const;

/** The secret of the session that the browser has; undefined when there is none. */
export function sessionSecret(c: AppContext, kept: Kept): string | undefined {
  return getCookie(c, nameOf("session", kept));
}

/** Lets the browser keep the session's secret until it ends. */
export function keepSession(c: AppContext, kept: Kept, secret: string, expiresAt: Date): void {
  setCookie(c, nameOf("session", kept), secret, { ...optionsOf(kept), expires: expiresAt });
}

/** Takes the session's secret from the browser. */
export function dropSession(c: AppContext, kept: Kept): void {
  deleteCookie(c, nameOf("session", kept), optionsOf(kept));
}

/** Keeps what an action said for the page that the browser is sent to. */
export function keepFlash(c: AppContext, kept: Kept, { said, undo }: Flash): void {
  const text = packed({ said, ...(undo && { undo }) });
  setCookie(c, nameOf("flash", kept), text, { ...optionsOf(kept), maxAge: flashSeconds });
}

/** What the last action said, once; what the browser made up itself is nothing. */
export function takeFlash(c: AppContext, kept: Kept): Flash | undefined {
  return flashSchema.safeParse(take(c, kept, "flash")).data as Flash | undefined;
}

/** Keeps what belongs to a sign-in that goes on at the provider. */
export function keepBegun(c: AppContext, kept: Kept, begun: object): void {
  setCookie(c, nameOf("begun", kept), packed(begun), { ...optionsOf(kept), maxAge: begunSeconds });
}

/** What was kept of the sign-in that was begun last, once. */
export function takeBegun(c: AppContext, kept: Kept): unknown {
  return take(c, kept, "begun");
}

const packed = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function take(c: AppContext, kept: Kept, name: keyof typeof names): unknown {
  const text = getCookie(c, nameOf(name, kept));
  if (text === undefined) return undefined;
  deleteCookie(c, nameOf(name, kept), optionsOf(kept));
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined;
  }
}
