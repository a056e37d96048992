import { Problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import type { App, AppContext } from "../../http/app-types.ts";
import { discardBody } from "../../http/body/discard-body.ts";
import { readForm } from "../../http/body/read-form.ts";
import { limitByAddress } from "../../http/limits/limit-by-address.ts";
import { anybody } from "../../limits/permits.ts";
import { readLink, redeemLink, signIn } from "../../sessions/sign-in.ts";
import { openPath } from "../open-path.ts";
import { requireSameOrigin } from "../same-origin.ts";
import { enterSession } from "./enter-session.ts";
import { makeFindVisitor, type Visitor } from "./find-reader.ts";
import { ownPath } from "./own-path.ts";
import { linkPage, signInPage } from "./sign-in-page.ts";

/** A team behind one address may sign in at once; a client that tries tokens is slowed down. */
const perAddressPerS = 5;
const reasons: Readonly<Record<string, string>> = {
  over: "Your session is over. Sign in again.",
  stolen:
    "Your session was used by another browser than the one that signed in, so it was ended. Sign in again.",
  out: "You are signed out.",
};

/** GET /sign-in, POST /sign-in */
export function openSignIn(app: App, broker: Broker): void {
  const findVisitor = makeFindVisitor(broker);
  const limit = limitByAddress(broker, perAddressPerS);
  const provider = broker.config.oidc?.name;
  const signing = (visitor: Visitor) => ({ browser: visitor, hours: broker.config.sessionHours });

  const orTell = async (
    c: AppContext,
    next: string,
    act: (visitor: Visitor) => Promise<Response>,
  ): Promise<Response> => {
    try {
      limit(c);
      return await act(findVisitor(c));
    } catch (error) {
      await discardBody(c);
      if (!(error instanceof Problem)) throw error;
      const told = wordsOf(error);
      return c.html(await signInPage({ next, told, provider }), error.status as 401);
    }
  };

  openPath(app, broker, "GET /sign-in", async (c) => {
    const query = new URL(c.req.url).searchParams;
    const next = ownPath(query.get("next"));
    const secret = query.get("link");
    if (secret === null)
      return c.html(await signInPage({ next, told: reasons[query.get("why") ?? ""], provider }));
    return await orTell(c, next, async () => {
      const whom = await broker.permits.run(anybody, () => readLink(broker.db, secret));
      return c.html(await linkPage({ ...whom, secret, next }));
    });
  });

  openPath(app, broker, "POST /sign-in", async (c) => {
    requireSameOrigin(c);
    const form = await readForm(c);
    const next = ownPath(form.get("next"));
    const link = form.get("link");
    const by = link === null ? "token" : "link";
    return await orTell(c, next, async (visitor) => {
      const made = await broker.permits.run(anybody, async () => {
        if (link !== null) return await redeemLink(broker.db, link, signing(visitor));
        const secret = (form.get("token") ?? "").trim();
        const guesses = () => broker.limitGuesses(c.env?.incoming);
        return await signIn(broker, { secret, guesses }, signing(visitor));
      });
      return await enterSession(c, broker, { visitor, next, by }, made);
    });
  });
}

const wordsOf = ({ status, message }: Problem): string =>
  status === 401 && !message.startsWith("This link")
    ? "This token is unknown, or it was revoked or has expired."
    : message;
