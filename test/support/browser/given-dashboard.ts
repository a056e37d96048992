import { expect } from "vitest";
import { type GivenOperator, givenOperator } from "../broker/given-operator.ts";

/** A dashboard with an operator who may sign in to it. */
export type GivenDashboard = GivenOperator & {
  /** A link that signs in once, as the operator or as whoever has this token. */
  readonly link: (token?: string) => Promise<string>;
  /** The HTML of a page, fetched with the cookie of a session. */
  readonly html: (path: string, cookie: string) => Promise<{ status: number; text: string }>;
};

/** A broker with its dashboard, and the operator of an org. */
export async function givenDashboard(
  ...given: Parameters<typeof givenOperator>
): Promise<GivenDashboard> {
  const operator = await givenOperator(...given);
  const { url } = operator.broker;
  return {
    ...operator,
    async link(token = operator.token) {
      const made = await operator.broker.call<{ path: string }>("POST /v1/sign-in-links", {
        token,
      });
      expect(made.status).toBe(201);
      return url + made.body.path;
    },
    async html(path, cookie) {
      const response = await fetch(url + path, { headers: { cookie }, redirect: "manual" });
      return { status: response.status, text: await response.text() };
    },
  };
}

/** Presses the button of the page that a link leads to, as a browser with this name does. */
export async function useLink(link: string, userAgent = "node"): Promise<Response> {
  const { origin, searchParams } = new URL(link);
  return await fetch(`${origin}/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ link: searchParams.get("link") ?? "" }),
    headers: { "user-agent": userAgent, "sec-fetch-site": "same-origin" },
    redirect: "manual",
  });
}

/** Sends a form of the dashboard as a browser does, from a page of this site unless told. */
export async function postForm(
  url: string,
  cookie: string,
  sent: { readonly form?: Readonly<Record<string, string>>; readonly site?: string } = {},
): Promise<Response> {
  const { form = {}, site = "same-origin" } = sent;
  return await fetch(url, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { cookie, "user-agent": "node", "sec-fetch-site": site },
    redirect: "manual",
  });
}

/** Signs in by a link; the cookie it is given. */
export async function signIn(link: string, userAgent = "node"): Promise<string> {
  const response = await useLink(link, userAgent);
  expect(response.status).toBe(303);
  return cookieOf(response);
}

/** The session's cookie that an answer sets. */
export function cookieOf(response: Response): string {
  const set = response.headers.getSetCookie().find((one) => /^(?:__Host-)?svc_session=/.test(one));
  return set?.split(";")[0] ?? "";
}
