import { beforeAll, describe, expect, test } from "vitest";
import { mintRules, type Whose } from "../../../broker/tokens/token-rules.ts";
import type { Token } from "../../../shared/api/tokens.ts";
import { roleTypes } from "../../../shared/permissions.ts";
import { type GivenCallers, givenCallers } from "../../support/broker/given-callers.ts";

type Made = Token & { secret: string; code?: string };
type MintedKind = keyof typeof mintRules;
/** What a caller gets who asks for a token: one of this reach, or a refusal. */
type Outcome = "org" | "account" | 403 | 404 | 422;

const kinds = Object.keys(mintRules) as MintedKind[]; // its keys are exactly these
const accounts: Whose[] = ["nobodys", "own", "anothers"];
const anyOfOrg = { nobodys: "org", own: "org", anothers: "org" } as const;
const runners = { nobodys: "org", own: 422, anothers: 422 } as const;
const none = { nobodys: 403, own: 403, anothers: 403 } as const;

/** Every kind of caller in the org it belongs to: what it gets by the kind asked for and whose account that names. */
const callers: Record<string, Record<MintedKind, Record<Whose, Outcome>>> = {
  "a person that is admin": {
    pat: { nobodys: 422, own: "account", anothers: 403 },
    sa: anyOfOrg,
    rt: runners,
    st: anyOfOrg,
    it: anyOfOrg,
  },
  "a person with a token of type admin": {
    pat: { nobodys: 422, own: "account", anothers: "org" },
    sa: anyOfOrg,
    rt: runners,
    st: anyOfOrg,
    it: anyOfOrg,
  },
  // What names no role is all that the account may: more than a token with the role org_admin.
  "a person's token narrowed to a role": {
    pat: { nobodys: 422, own: 403, anothers: 403 },
    sa: anyOfOrg,
    rt: runners,
    st: anyOfOrg,
    it: anyOfOrg,
  },
  ...Object.fromEntries(
    ["an org's token", "an org's token that names a colleague's account"].map((caller) => [
      caller,
      {
        pat: { nobodys: 422, own: 403, anothers: 403 },
        sa: anyOfOrg,
        rt: runners,
        st: anyOfOrg,
        it: anyOfOrg,
      },
    ]),
  ),
  "an org's token of type admin": {
    pat: { nobodys: 422, own: "org", anothers: "org" },
    sa: anyOfOrg,
    rt: runners,
    st: anyOfOrg,
    it: anyOfOrg,
  },
  "a pat that an admin made for a colleague": {
    pat: { nobodys: 422, own: 403, anothers: 403 },
    sa: anyOfOrg,
    rt: runners,
    st: anyOfOrg,
    it: anyOfOrg,
  },
  ...Object.fromEntries(
    [
      ...roleTypes.filter((role) => role !== "org_admin" && role !== "runner"),
      "a runner's token",
      "a one-shot token",
      "a job's token",
    ].map((caller) => [caller, { pat: none, sa: none, rt: none, st: none, it: none }]),
  ),
};

let at: GivenCallers;
beforeAll(async () => {
  at = await givenCallers();
});

const accountOf: Record<Whose, () => string | undefined> = {
  nobodys: () => undefined,
  own: () => at.me,
  anothers: () => at.colleague,
};

async function ask(caller: string, kind: MintedKind, whose: Whose, org: string) {
  const body = {
    name: "made",
    kind,
    ...(kind === "rt" ? { runner_id: at.runnerId } : {}),
    ...(kind === "pat" || kind === "rt" ? {} : { role: "org_admin" }),
    account_id: accountOf[whose](),
  };
  const headers = { "x-svc-org-id": org };
  return await at.callAs<Made>(caller, "POST /v1/tokens", { body, headers });
}

const cases = Object.entries(callers).flatMap(([caller, byKind]) =>
  kinds.flatMap((kind) =>
    accounts.map((whose) => ({ caller, kind, whose, outcome: byKind[kind][whose] })),
  ),
);
const isMade = ({ outcome }: (typeof cases)[number]): boolean => typeof outcome === "string";

describe("a token that is asked for", () => {
  test.each(cases.filter(isMade))(
    "by $caller, of kind $kind, for $whose account reaches the $outcome",
    async ({ caller, kind, whose, outcome }) => {
      const { status, body } = await ask(caller, kind, whose, at.mine);
      expect(status).toBe(201);
      expect(body).toMatchObject({ reach: outcome, org_id: at.mine });
      await expectReach(body, outcome === "account" ? at.me : null);
    },
  );

  test.each(cases.filter((one) => !isMade(one)))(
    "by $caller, of kind $kind, for $whose account is $outcome",
    async ({ caller, kind, whose, outcome }) => {
      expect((await ask(caller, kind, whose, at.mine)).status).toBe(outcome);
    },
  );

  test.each(Object.keys(callers))(
    "by %s in an org that it does not reach is 404",
    async (caller) => {
      expect((await ask(caller, "sa", "nobodys", at.theirs)).status).toBe(404);
    },
  );

  test("by a person in another of its orgs reaches that person's orgs", async () => {
    const { secret: token } = await at.ownToken(at.colleague);
    const made = await at.broker.call<Made>("POST /v1/tokens", {
      token,
      body: { name: "t", kind: "pat", account_id: at.colleague },
      headers: { "x-svc-org-id": at.theirs },
    });
    expect(made).toMatchObject({ status: 201, body: { reach: "account", org_id: at.theirs } });
    await expectReach(made.body, at.colleague, [at.mine, at.theirs]);
  });
});

/** Who the token is, which orgs it reaches, and whether it can make more than it is. */
async function expectReach(
  { id, secret, kind }: Made,
  account: string | null,
  orgs: string[] = [at.mine],
): Promise<void> {
  const actor = await at.broker.broker.authenticator.identify(`Bearer ${secret}`);
  expect(actor).toMatchObject({ id: account ?? id, accountId: account });
  for (const org of [at.mine, at.theirs]) {
    const headers = { "x-svc-org-id": org };
    const { status } = await at.broker.call("GET /v1/tokens/current", { token: secret, headers });
    expect(status).toBe(orgs.includes(org) ? 200 : 404);
  }
  if (kind === "rt") return; // a runner's token sees no orgs
  const list = await at.broker.call<{ items: { id: string }[] }>("GET /v1/orgs", { token: secret });
  expect(list.body.items.map((one) => one.id).toSorted()).toEqual(orgs.toSorted());
  const body = { name: "more", kind: "pat", account_id: at.colleague };
  const more = await at.broker.call<Made>("POST /v1/tokens", { token: secret, body });
  expect(more.status).toBe(account === at.colleague ? 201 : 403);
}
