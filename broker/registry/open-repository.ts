import { z } from "zod";
import type { Db } from "../database/connect.ts";
import type { CallResult } from "../egress/call-out.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { findFixedLogin } from "./find-fixed-login.ts";
import { registryLoginThing } from "./keep-registry-logins.ts";
import { type RegistryCalls, registryUrl } from "./registry-calls.ts";
import type { RegistryConfig } from "./registry-settings.ts";
import { signRegistryToken } from "./sign-registry-token.ts";

/** One request about a repository: a path below it, as `manifests/sha256:…`. */
export type Asked = {
  readonly method: "GET" | "HEAD" | "DELETE";
  readonly at: string;
  readonly accept?: string;
};
/** Asks the registry about one repository. */
export type AskRepository = (asked: Asked) => Promise<CallResult>;

type Parts = {
  readonly db: Db;
  readonly seals: Seals;
  readonly registry: RegistryConfig;
  readonly calls: RegistryCalls;
  /** How long a request may take. */
  readonly timeoutMs?: number;
};
type Place = { readonly orgId: OrgId; readonly repository: string; readonly signal: AbortSignal };

const usualTimeoutMs = 10_000;
const connectTimeoutMs = 5_000;
/** As large as manifests are. */
const mostAnswerBytes = 4 * 2 ** 20;
const actions = ["pull", "delete"];

/**
 * Requests of the broker itself about a repository of an org. Where the registry trusts the broker's tokens it signs itself one that pulls and deletes
 * there and nowhere else; where the org has a login for pushes it is that one, once the registry asks for it.
 */
export function openRepository(parts: Parts, { orgId, repository, signal }: Place): AskRepository {
  const { db, seals, registry, calls, timeoutMs = usualTimeoutMs } = parts;
  const url = registryUrl(registry);
  const bounds = { timeoutMs, connectTimeoutMs, maxAnswerBytes: mostAnswerBytes, signal };
  let authorization: string | undefined;

  async function send({ method, at, accept }: Asked): Promise<CallResult> {
    const headers = { ...(accept && { accept }), ...(authorization && { authorization }) };
    const asked = { url: `${url}/v2/${repository}/${at}`, method, headers };
    return await calls({ ...asked, ...bounds });
  }

  /** What the registry wants to see of the org's login, as its challenge says. */
  async function signIn(challenge: string): Promise<string | undefined> {
    const login = await findFixedLogin(db, orgId, "push");
    if (login === undefined) return undefined;
    const password = seals.open(registryLoginThing(orgId, "push"), login.password).toString();
    const basic = `Basic ${Buffer.from(`${login.username}:${password}`).toString("base64")}`;
    if (!/^bearer /i.test(challenge)) return basic;
    const realm = realmIn(challenge, url);
    if (realm === undefined) return undefined;
    realm.searchParams.append("scope", `repository:${repository}:${actions.join(",")}`);
    const headers = { authorization: basic };
    const answer = await calls({ url: realm.href, method: "GET", headers, ...bounds });
    const token = answer.kind === "answered" ? tokenIn(answer.body) : undefined;
    return token && `Bearer ${token}`;
  }

  return async (asked) => {
    if (registry.auth === "token" && authorization === undefined) {
      const access = [{ repository, actions }];
      const claims = { access, audience: registry.server, subject: "svc" };
      authorization = `Bearer ${(await signRegistryToken({ db, seals }, claims)).token}`;
    }
    const answer = await send(asked);
    const isAsked = answer.kind === "answered" && answer.status === 401;
    if (!isAsked || registry.auth !== "fixed" || authorization !== undefined) return answer;
    authorization = await signIn(answer.headers["www-authenticate"] ?? "");
    return authorization === undefined ? answer : await send(asked);
  };
}

/** Where the registry has its tokens made; undefined where the login would go there without TLS, but to the registry itself. */
function realmIn(challenge: string, url: string): URL | undefined {
  const said = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
  );
  const text = said.get("realm") ?? "";
  if (!URL.canParse(text)) return undefined;
  const realm = new URL(text);
  if (realm.protocol !== "https:" && realm.origin !== new URL(url).origin) return undefined;
  const service = said.get("service");
  if (service !== undefined) realm.searchParams.set("service", service);
  return realm;
}

const tokenAnswer = z.object({ token: z.string().optional(), access_token: z.string().optional() });

function tokenIn(body: string): string | undefined {
  try {
    const { token, access_token } = tokenAnswer.parse(JSON.parse(body));
    return token ?? access_token;
  } catch {
    return undefined;
  }
}
