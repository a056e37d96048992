import { z } from "zod";
import { Problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import type { App, AppContext } from "../../http/app-types.ts";
import { limitByAddress } from "../../http/limits/limit-by-address.ts";
import { anybody } from "../../limits/permits.ts";
import { makeProvider, type Provider } from "../../oidc/provider.ts";
import { SignInFault, type SignInFaultKind } from "../../oidc/sign-in-fault.ts";
import { signInPerson } from "../../sessions/sign-in-person.ts";
import { keepBegun, takeBegun } from "../cookies.ts";
import { openPath } from "../open-path.ts";
import { enterSession } from "./enter-session.ts";
import { makeFindVisitor } from "./find-reader.ts";
import { ownPath } from "./own-path.ts";
import { signInPage } from "./sign-in-page.ts";

const perAddressPerS = 5;
const begunSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
});

/** GET /sign-in/provider, GET /sign-in/callback: where there is a provider to sign in with. */
export function openProvider(app: App, broker: Broker): void {
  const { config, db, log, permits } = broker;
  if (config.oidc === undefined) return;
  const provider = makeProvider(config.oidc, log);
  const findVisitor = makeFindVisitor(broker);
  const limit = limitByAddress(broker, perAddressPerS);

  /** Whatever goes wrong is told on the sign-in page, where the person can try again. */
  const orTell = async (
    c: AppContext,
    next: () => string,
    act: () => Promise<Response>,
  ): Promise<Response> => {
    try {
      limit(c);
      return await act();
    } catch (error) {
      const { status, told } = toldOf(error, provider);
      return c.html(await signInPage({ next: next(), told, provider: provider.name }), status);
    }
  };

  openPath(app, broker, "GET /sign-in/provider", async (c) => {
    const next = ownPath(new URL(c.req.url).searchParams.get("next"));
    return await orTell(
      c,
      () => next,
      async () => {
        const { to, begun } = await provider.begin();
        keepBegun(c, findVisitor(c), { ...begun, next });
        return c.redirect(to.href, 303);
      },
    );
  });

  openPath(app, broker, "GET /sign-in/callback", async (c) => {
    const visitor = findVisitor(c);
    const begun = begunSchema.safeParse(takeBegun(c, visitor)).data;
    const next = ownPath(begun?.next ?? null);
    return await orTell(
      c,
      () => next,
      async () => {
        if (begun === undefined) throw new SignInFault("not-begun");
        const person = await provider.finish(new URL(c.req.url).search, begun);
        const signing = { browser: visitor, hours: config.sessionHours };
        const made = await permits.run(anybody, () => signInPerson(db, person, signing));
        return await enterSession(c, broker, { visitor, next, by: "provider" }, made);
      },
    );
  });
}

type Fault = {
  readonly status: 401 | 403 | 502 | 503;
  readonly words: (provider: Pick<Provider, "name">, fault: SignInFault) => string;
};

/** What to tell the person; throws what is no fault of a sign-in. */
function toldOf(error: unknown, provider: Provider): { status: 401; told: string } {
  if (error instanceof Problem) return { status: error.status as 401, told: error.message };
  if (!(error instanceof SignInFault)) throw error;
  const { status, words } = faults[error.kind];
  return { status: status as 401, told: words(provider, error) };
}

const faults: Readonly<Record<SignInFaultKind, Fault>> = {
  busy: { status: 503, words: () => "Many people sign in just now. Try again in a moment." },
  denied: { status: 403, words: ({ name }) => `${name} was told not to sign you in.` },
  "not-begun": {
    status: 401,
    words: () =>
      "This sign-in was begun in another browser or tab, or more than ten minutes ago. Begin again.",
  },
  refused: {
    status: 401,
    words: ({ name }) =>
      `The answer of ${name} did not fit this sign-in, so nobody was signed in. Begin again.`,
  },
  "unknown-person": {
    status: 403,
    words: ({ name }, { facts }) =>
      `${name} knows you as “${facts["subject"]}”, but no account here has this subject and a role in an org. ` +
      "Ask an admin of your org for one.",
  },
  unreachable: {
    status: 502,
    words: ({ name }) => `${name} could not be reached. Try again, or sign in with a token.`,
  },
};
