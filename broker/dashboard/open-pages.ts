import { html } from "hono/html";
import { Problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { App, AppContext } from "../http/app-types.ts";
import { discardBody } from "../http/body/discard-body.ts";
import { readForm } from "../http/body/read-form.ts";
import { requirePermission } from "../http/gate/authorize.ts";
import { barePage } from "./bare-page.ts";
import { dropSession, keepFlash, takeFlash } from "./cookies.ts";
import { htmlAnswer, type HtmlText, htmlText } from "./html-answer.ts";
import { makeShare, type Share } from "./live/share.ts";
import { openPath, protect } from "./open-path.ts";
import type { Action, Done, Page, Shown, View } from "./page.ts";
import { partKey } from "./part-key.ts";
import { faultNotice, faultOf, problemShown } from "./problem-page.ts";
import { questionMain } from "./question.ts";
import { requireOneOf } from "./require-one-of.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { type Absent, makeFindReader, type Reader } from "./session/find-reader.ts";
import { shell } from "./shell.ts";
import { makeView, unnamed } from "./view.ts";
import { wayBack } from "./way-back.ts";

type Method = "GET" | "POST";
/** What a page shows, or what an action did. */
type Act = (view: View, c: AppContext) => Promise<Shown | Done>;

/** Opens all pages and actions, each for whoever is signed in; everybody else is sent to sign in. */
export function openPages(
  app: App,
  broker: Broker,
  { pages, actions }: { readonly pages: readonly Page[]; readonly actions: readonly Action[] },
): void {
  const find = makeFindReader(broker);
  const share = makeShare<Part>();
  const open = (method: Method, path: string, act: Act, back?: Action["back"]): void => {
    openPath(app, broker, `${method} ${path}`, (c) =>
      answer(c, { app, broker, pages, find, act, back }),
    );
  };

  for (const { path, permission, render, isShared = false } of pages) {
    const act = async (view: View): Promise<Shown> => {
      if (permission !== null) requirePermission(view.actor, permission);
      return await render(isShared ? unnamed(view) : view);
    };
    const shared = isShared ? { share, act } : undefined;
    openPath(app, broker, `GET ${path}`, (c) =>
      answer(c, { app, broker, pages, find, act, back: undefined, shared }),
    );
  }
  for (const action of actions) {
    const { path, back } = action;
    const ask: Act = async (view) => {
      requireOneOf(view, action);
      const question = await action.ask(view, new URLSearchParams());
      return { title: question.title, main: questionMain(view.address, question) };
    };
    const run: Act = async (view, c) => {
      requireSameOrigin(c);
      requireOneOf(view, action);
      const form = await readForm(c);
      return await action.run(view, form).catch(async (error: unknown) => {
        const fault = faultOf(error);
        if (fault === undefined || !askedAgain.has(fault.status)) throw error;
        const question = await action.ask(view, form);
        const main = html`${faultNotice(fault)}${questionMain(view.address, question)}`;
        return { title: question.title, main, status: fault.status };
      });
    };
    open("GET", path, ask, back);
    open("POST", path, run, back);
  }
}

/** What a browser is shown at an address that is none: a page of the dashboard, or a bare one for whoever is not signed in. */
export function makeLostPage(
  app: App,
  broker: Broker,
  pages: readonly Page[],
): (c: AppContext) => Promise<Response> {
  const find = makeFindReader(broker);
  const asked: Asked = { app, broker, pages, find, act: showNothing, back: undefined };
  return async (c) => {
    protect(c);
    return await answer(c, { ...asked, absent: async () => c.html(await barePage(), 404) });
  };
}

const noPage = (): Problem =>
  new Problem({ status: 404, code: "route_not_found", detail: "This page does not exist." });
const showNothing: Act = async () => await Promise.reject(noPage());

/** After these a person can mend what was entered. */
const askedAgain: ReadonlySet<number> = new Set([412, 422]);

type Asked = {
  readonly app: App;
  readonly broker: Broker;
  readonly pages: readonly Page[];
  readonly find: ReturnType<typeof makeFindReader>;
  readonly act: Act;
  readonly back: Action["back"];
  /** Where what changes of the page is made once for many. */
  readonly shared?: Shared | undefined;
  /** Whoever is not signed in is sent to sign in unless told. */
  readonly absent?: () => Promise<Response>;
};

/** What changes of a page, made for whoever asked first. */
type Part = { readonly madeFor: AppContext; readonly text: HtmlText; readonly status: number };
type Shared = {
  readonly share: Share<Part>;
  readonly act: (view: View) => Promise<Shown>;
};

async function answer(c: AppContext, asked: Asked): Promise<Response> {
  const reader = await asked.find(c);
  if ("absence" in reader) return await (asked.absent?.() ?? sendToSignIn(c, reader));
  c.set("actor", reader.actor);
  const { shared } = asked;
  if (shared !== undefined && isPart(c)) return await answerPart(c, { ...asked, shared }, reader);
  const view = makeView(c, asked, reader);
  const { result, status } = await actOn(c, asked, view);
  if ("said" in result) {
    keepFlash(c, reader, result);
    return c.redirect(result.to, 303);
  }
  return await writePage(c, asked, { reader, view, shown: result, status });
}

const isPart = (c: AppContext): boolean => c.req.header("hx-request") === "true";

type AskedPart = Asked & { readonly shared: Shared };

/** What is nobody's own, as a rate limit or a request's id is: it is the same for all who may share a part. */
const toldToAll: ReadonlySet<number> = new Set([200, 404, 503]);

/**
 * What changes of a page that is open already. Whoever waited for it is asked once more who they are; it counts as a request of theirs
 * where nothing was asked in their name. What went wrong for one alone is made anew: once for all others, then for each.
 */
async function answerPart(c: AppContext, asked: AskedPart, reader: Reader): Promise<Response> {
  const key = partKey(makeView(c, asked, reader));
  const ask = async (): Promise<Part> =>
    await asked.shared.share(key, async () => await makePart(c, asked, reader));
  const isMine = (part: Part): boolean => part.madeFor === c || toldToAll.has(part.status);
  const first = await ask();
  const made = isMine(first) ? first : await ask();

  const now = await asked.find(c);
  if ("absence" in now) return await sendToSignIn(c, now);
  c.set("actor", now.actor);
  const isSame = partKey(makeView(c, asked, now)) === key;
  const part =
    isSame && isMine(made) ? await metered(c, asked, { made, now }) : await makePart(c, asked, now);
  const { text, status } = part;
  return await htmlAnswer(c, text, status);
}

async function makePart(c: AppContext, asked: AskedPart, reader: Reader): Promise<Part> {
  const view = makeView(c, asked, reader); // now: there may have been a wait
  const { result: shown, status } = await actOn(c, { ...asked, act: asked.shared.act }, view);
  const parts = { view, shown, flash: undefined, isPart: true, pages: asked.pages };
  return { madeFor: c, text: htmlText(await shell(parts)), status };
}

/** A part that another asked for, if the limits of whoever shares it allow one more request. */
async function metered(
  c: AppContext,
  asked: AskedPart,
  { made, now }: { readonly made: Part; readonly now: Reader },
): Promise<Part> {
  if (made.madeFor === c) return made;
  try {
    asked.broker.rateLimiter.take(now.actor);
    return made;
  } catch (error) {
    const refuse = (): Promise<Shown> => Promise.reject(error);
    return await makePart(c, { ...asked, shared: { ...asked.shared, act: refuse } }, now);
  }
}

/** What it shows or did; what went wrong is a page, too. */
async function actOn<Result extends Shown | Done>(
  c: AppContext,
  {
    broker,
    pages,
    act,
    back,
  }: Pick<Asked, "broker" | "pages" | "back"> & {
    act: (view: View, c: AppContext) => Promise<Result>;
  },
  view: View,
): Promise<{ readonly result: Result | Shown; readonly status: number }> {
  try {
    const result = await act(view, c);
    return { result, status: ("said" in result ? undefined : result.status) ?? 200 };
  } catch (error) {
    await discardBody(c);
    const requestId = c.get("requestId");
    const known = faultOf(error);
    if (known === undefined)
      broker.log.error({ err: error, request_id: requestId }, "a page failed");
    const fault = known ?? {
      status: 500,
      detail: `Internal error. Give support this request id: ${requestId}.`,
      faults: [],
    };
    const isRefused = [403, 404, 409].includes(fault.status);
    const above = back?.(view) ?? wayBack(pages, view.path, fault.status === 404);
    return {
      result: problemShown(fault, c.req.method === "POST" && !isRefused ? view.address : above),
      status: fault.status,
    };
  }
}

type Written = {
  readonly reader: Reader;
  readonly view: View;
  readonly shown: Shown;
  readonly status: number;
};

async function writePage(
  c: AppContext,
  { pages }: Asked,
  { reader, view, shown, status }: Written,
): Promise<Response> {
  const only = isPart(c);
  const flash = only ? undefined : takeFlash(c, reader);
  const text = await shell({ view, shown, flash, isPart: only, pages });
  return await htmlAnswer(c, htmlText(text), status);
}

/** After signing in, the browser comes back to where it wanted to go. */
async function sendToSignIn(c: AppContext, reader: Absent): Promise<Response> {
  await discardBody(c);
  if (reader.absence !== "none") dropSession(c, reader);
  const { pathname, search } = new URL(c.req.url);
  const sent = new URLSearchParams();
  if (c.req.method === "GET" && pathname !== "/") sent.set("next", pathname + search);
  if (reader.absence !== "none") sent.set("why", reader.absence);
  const to = `/sign-in${sent.size === 0 ? "" : `?${sent.toString()}`}`;
  if (!isPart(c)) return c.redirect(to, 303);
  return c.body(null, 200, { "hx-redirect": to });
}
