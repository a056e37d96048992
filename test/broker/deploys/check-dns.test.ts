import { expect, test } from "vitest";
import type { DnsCheck } from "../../../shared/api/install-records.ts";
import { type Said, startDns } from "../../support/broker/start-dns.ts";
import { givenApplied } from "../../support/deploys/given-applied.ts";
import { builtDocument } from "../../support/deploys/given-built-config.ts";
import { svc } from "../../support/programs/svc.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { brokers, call, db, setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://127.0.0.1:9/acme" },
});
const document = {
  ...builtDocument([]),
  "inputs.toml": { input: [{ name: "key", sensitive: true, default: "hush-hush" }] },
};
const said: Record<string, Said> = {};
const { asked } = await startDns(said);

/** An install whose sandbox has such an output, and what the check says. */
async function given(publicDomain: unknown) {
  let domain = publicDomain;
  const org = await givenApplied(setup, document, {
    outputs: () => ({ ...(domain !== undefined && { public_domain: domain }) }),
  });
  await org.ended(org.provision);
  const check = async () => (await org.api<DnsCheck>(`GET /v1/installs/${org.id}/dns/check`)).body;
  const becomes = async (other: unknown) => {
    domain = other;
    await org.ended(await org.begin("POST /reprovision-sandbox"));
    return await check();
  };
  return { ...org, check, becomes };
}

test("an install says whether its domain is delegated, and what is to be done", async () => {
  const nameservers = ["NS1.dns.test.", "ns2.dns.test"];
  const { check, becomes, id, token } = await given({ name: "Acme.shop.test", nameservers });
  said["acme.shop.test"] = ["ns2.dns.test", "ns1.DNS.test"];
  const domain = { enabled: true, domain: "acme.shop.test" };
  const expected = { ...domain, expected_nameservers: ["ns1.dns.test", "ns2.dns.test"] };
  expect(await check()).toEqual({
    ...expected,
    delegated: true,
    observed_nameservers: ["ns1.dns.test", "ns2.dns.test"],
    missing_nameservers: [],
    extra_nameservers: [],
    message: "acme.shop.test is delegated.",
  });
  said["acme.shop.test"] = ["ns2.dns.test", "old.dns.test"];
  expect(await check()).toEqual({
    ...expected,
    delegated: false,
    observed_nameservers: ["ns2.dns.test", "old.dns.test"],
    missing_nameservers: ["ns1.dns.test"],
    extra_nameservers: ["old.dns.test"],
    message:
      "acme.shop.test is delegated to others. In its parent zone, add ns1.dns.test and remove old.dns.test.",
  });
  const env = { SVC_URL: brokers[0]?.url ?? "", SVC_TOKEN: token };
  const shown = await svc(["install", "dns", "acme"], { env });
  expect([shown.code, shown.out]).toEqual([1, ""]);
  expect(shown.err).toContain("add ns1.dns.test and remove old.dns.test");
  const faults = { "no such name": "does not exist in DNS", silence: "no DNS server answered" };
  for (const [how, words] of Object.entries(faults)) {
    said["acme.shop.test"] = how as Said;
    expect(await check()).toMatchObject({
      ...expected,
      delegated: false,
      observed_nameservers: [],
      missing_nameservers: how === "silence" ? [] : expected.expected_nameservers,
      message: expect.stringContaining(words) as string,
    });
  }
  said["acme.shop.test"] = [];
  expect((await check()).message).toContain(
    "has no name servers of its own. In its parent zone, add",
  );

  const bare = await becomes("acme.shop.test");
  expect(bare).toMatchObject({ ...domain, delegated: false, expected_nameservers: [] });
  expect(bare.message).toContain("nothing to compare with");
  const askedBefore = asked.length;
  for (const odd of ["10.0.0.10", "localhost", "a..test"]) {
    const wrong = await becomes({ name: odd, nameservers: [1, "x.test"] });
    expect([odd, wrong.message]).toEqual([odd, `${odd} is not the name of a domain.`]);
  }
  const known = await becomes({ name: "hush-hush.shop.test", nameservers });
  expect(known).toMatchObject({ enabled: true, domain: "(secret)", delegated: false });
  expect(known.message).toContain("are sensitive");
  expect(await becomes(undefined)).toMatchObject({ enabled: false, domain: "", delegated: false });
  expect(asked).toHaveLength(askedBefore);
  const stranger = await givenToken(db, { orgId: await givenOrg(db), role: "org_admin" });
  const path = `GET /v1/installs/${id}/dns/check`;
  expect((await call(path, { token: stranger })).status).toBe(404);
});
