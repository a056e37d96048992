import { describe, expect, test } from "vitest";
import { send } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { askToken, claimsOf, type Login } from "../../support/registry/ask-token.ts";
import { givenHeldBuild } from "../../support/registry/given-held-build.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const host = "registry.example.com:5000";
const { db, brokers, setup } = await givenWorkflowsApi({
  brokers: 2,
  env: { SVC_REGISTRY: `https://${host}/acme`, SVC_REGISTRY_AUTH: "token" },
});
const [one, other] = brokers.map(({ url }) => url) as [string, string];
const nobody: Login = { username: "", password: "" };

/** What a login opens of what it asks for. */
async function opened(login: Login | undefined, ...scopes: string[]) {
  const answer = await askToken(one, login, scopes, host);
  if (answer.status !== 200) return answer.status;
  const { access } = await claimsOf(one, answer.body.token);
  return access.map(({ name, actions }) => `${name}:${actions.join(",")}`);
}

describe("the login of a build's job", () => {
  test("pulls and pushes where its artifact goes, at each broker, until the job has ended", async () => {
    const { repository, login, end, org, build } = await givenHeldBuild(setup);
    expect(repository).toBe(`acme/${org.orgId}/${org.appId}/${build.component_id}`);
    const scope = `repository:${repository}:pull,push`;
    const answer = await askToken(other, login, [scope], host);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const claims = await claimsOf(one, answer.body.token);
    expect(claims).toMatchObject({
      iss: "svc",
      aud: host,
      access: [{ name: repository, actions: ["pull", "push"] }],
    });
    expect(claims.exp - claims.iat).toBe(answer.body.expires_in);
    expect(answer.body.expires_in).toBeLessThanOrEqual(300);
    await end();
    for (const url of [one, other])
      expect((await askToken(url, login, [scope], host)).status).toBe(401);
  });

  test("opens nothing else, and its password is shown to nobody", async () => {
    const { repository, login, end, org, claimed } = await givenHeldBuild(setup);
    const stranger = await givenHeldBuild(setup);
    expect(
      await opened(
        login,
        `repository:${repository}:pull,push,delete repository:${repository}/more:pull`,
        `repository:${stranger.repository}:pull`,
        "registry:catalog:*",
      ),
    ).toEqual([`${repository}:pull,push`]);
    const swapped = { username: login?.username ?? "", password: stranger.login?.password ?? "" };
    expect(await opened(swapped, `repository:${repository}:pull`)).toBe(401);
    const asked = { name: "reader", kind: "sa", role: "org_read_only", grants: ["plans.read"] };
    const { secret } = (await org.api<{ secret: string }>("POST /v1/tokens", asked)).body;
    const plan = await send(one, `GET /v1/runner-jobs/${claimed.job.id}/plan`, { token: secret });
    expect([plan.status, JSON.stringify(plan.body).includes("svc_reg_")]).toEqual([200, false]);
    expect(JSON.stringify(plan.body)).toContain(repository);
    const logged = brokers.flatMap((broker) => broker.logged).join("\n");
    expect(logged).not.toContain(login?.password);
    await end();
    await stranger.end();
  });

  test("is over when a clock ends the job, though its agent says nothing", async () => {
    const { repository, login } = await givenHeldBuild(setup);
    expect(await opened(login, `repository:${repository}:push`)).toEqual([`${repository}:push`]);
    await advanceClock(db, "30 hours");
    expect(await opened(login, `repository:${repository}:push`)).toBe(401);
  });
});

describe("a token of the registry", () => {
  test("opens an org's repositories to its tokens, as far as their permissions go", async () => {
    const org = await setup();
    const stranger = await setup();
    const as = (password: string) => ({ username: "svc", password });
    const reader = await givenToken(db, { orgId: org.orgId, role: "org_read_only" });
    const builder = await givenToken(db, { orgId: org.orgId, role: "org_builder" });
    const at = `acme/${org.orgId}/app/web`;
    const scopes = [
      `repository:${at}:pull,push,delete,*`,
      `repository:acme/${stranger.orgId}/app/web:pull`,
      `repository:${org.orgId}/app/web:pull`,
      `repository:acme/${org.orgId}:pull`,
    ];
    expect(await opened(as(reader), ...scopes)).toEqual([`${at}:pull`]);
    expect(await opened(as(builder), ...scopes)).toEqual([`${at}:pull,push,delete`]);
    expect(await opened(as(reader))).toEqual([]);
  });

  test("is given to nobody without a login, nor to machines in customers' accounts", async () => {
    const { repository, builder, end, claimed } = await givenHeldBuild(setup);
    const scope = `repository:${repository}:pull`;
    const password = await givenToken(db, builder.runner);
    expect(await opened(undefined, scope)).toBe(401);
    expect(await opened(nobody, scope)).toBe(401);
    expect(await opened({ username: claimed.job.id, password: "svc_reg_guess" }, scope)).toBe(401);
    expect(await opened({ username: "svc", password }, scope)).toBe(403);
    await end();
  });

  test("is for this registry, and for few repositories", async () => {
    const org = await setup();
    const login = { username: "svc", password: org.token };
    const elsewhere = await askToken(one, login, [], "registry.example.net");
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, "unknown_service"]);
    const many = Array.from({ length: 17 }, (_, at) => `repository:acme/r${at}:pull`);
    const tooMany = await askToken(one, login, [many.join(" ")], host);
    expect([tooMany.status, tooMany.body.code]).toEqual([400, "too_many_scopes"]);
    const { body } = await org.api<object>("GET /v1/registry");
    const repositories = `acme/${org.orgId}`;
    const kept = { keeps_builds: 10, keeps_artifacts: "" };
    expect(body).toEqual({ host, repositories, is_plain: false, auth: "token", ...kept });
  });

  test("is signed by a key that registries knew 90 days ahead, which is kept sealed", async () => {
    const org = await setup();
    const login = { username: "svc", password: org.token };
    const keys = async (url: string) =>
      (await send<{ keys: { kid: string }[] }>(url, "GET /v1/registry/keys")).body.keys.map(
        ({ kid }) => kid,
      );
    const signer = async () => {
      const { body } = await askToken(other, login, [], host);
      return (await claimsOf(one, body.token)).kid;
    };
    const before = [await signer(), await keys(one)] as const;
    expect(await keys(other)).toEqual(before[1]);
    await advanceClock(db, "90 days");
    expect(await keys(one)).toContain(before[0]);
    expect(await signer()).not.toBe(before[0]);
    expect(before[1]).toContain(await signer());
    const [row] = await db<{ sealed: number; all: number }[]>`
      select count(*) filter (where key_id is not null)::int as sealed, count(*)::int as all from registry_signing_keys`;
    expect(row?.sealed).toBe(row?.all);
  });
});
