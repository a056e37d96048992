import { describe, expect, test } from "vitest";
import type { RegistryMember } from "../../shared/plans/registry-member.ts";
import { readRegistryPlace } from "./registry-place.ts";

const read = (member: RegistryMember) =>
  readRegistryPlace({ repository: "a/b", ...member }, "src_registry", { tag: "v1" });
const ecr = "123456789012.dkr.ecr.eu-central-1.amazonaws.com";
const role = { role_arn: "arn:aws:iam::1:role/x", session_name: "job" };
const acr = "acme.azurecr.io";
const evil = "x@evil.example/#";
const byDefault = { use_default: true };
const byFile = { role_arn: "arn:aws:iam::1:role/x", token_file: "/run/agent-token" };
const ofEcr = (ecrauth: RegistryMember["ecrauth"]): RegistryMember => ({
  loginServer: ecr,
  ecrauth,
});

describe("a cloud's identity", () => {
  test.each<[string, RegistryMember]>([
    ["ecrauth.profile is not supported", ofEcr({ profile: "work", use_default: true })],
    [
      "ecrauth.assume_role.use_gcp_oidc is not supported",
      ofEcr({ assume_role: { ...role, use_gcp_oidc: true } }),
    ],
    ["ecrauth names no identity", ofEcr({ region: "eu-central-1" })],
    ["ecrauth.static needs both", ofEcr({ static: { access_key_id: "AKIA" } })],
    ["ecrauth.static needs both", ofEcr({ use_default: true, static: { session_token: "t" } })],
    [
      "ecrauth.web_identity.role_arn is missing",
      ofEcr({ web_identity: { token: "t" }, assume_role: role }),
    ],
    ["ecrauth.web_identity.token is missing", ofEcr({ web_identity: role })],
    ["ecrauth.web_identity.token_file is not supported", ofEcr({ web_identity: byFile })],
    ["ecrauth.assume_role.role_arn is missing", ofEcr({ assume_role: { external_id: "e" } })],
    [
      "ecrauth.assume_roles[0].role_arn is missing",
      ofEcr({ assume_roles: [{ session_name: "s" }] }),
    ],
    ["ecrauth.region must be the name of an AWS region", ofEcr({ ...byDefault, region: evil })],
    [
      "ecrauth.region must be the name of an AWS region",
      { ...ofEcr(byDefault), region: "x@evil.example/#" },
    ],
    [
      "acrauth.service_principal is not supported",
      { loginServer: acr, acrauth: { service_principal: { subscription_id: "s" } } },
    ],
    ["acrauth names no identity", { loginServer: acr, acrauth: { tenant_id: "t" } }],
    [
      "workloadIdentityProvider is not supported",
      { loginServer: "gcr.io", workloadIdentityProvider: "p" },
    ],
    ["ecrauth signs in only with TLS", { ...ofEcr(byDefault), plain_http: true }],
  ])("is refused, as the host's own never takes its place: %s", (words, member) => {
    expect(() => read(member)).toThrow(`src_registry.${words}`);
  });

  test.each<[string, RegistryMember]>([
    ["a host that only begins so", { loginServer: `${ecr}.evil.example`, ecrauth: byDefault }],
    ["another port", { loginServer: `${ecr}:8443`, ecrauth: byDefault }],
    [
      "another host",
      { loginServer: "r.example", ecrauth: { ...byDefault, region: "eu-central-1" } },
    ],
    ["another cloud", { loginServer: acr, ecrauth: byDefault }],
    ["no Azure host", { loginServer: "acme.azurecr.io.evil.example", acrauth: byDefault }],
    ["no Google host", { loginServer: "pkg.dev.evil.example", registryType: "gar" }],
    ["a Google account elsewhere", { loginServer: "evilgcr.io", serviceAccountEmail: "a@b" }],
  ])("does not sign in to %s", (_, member) => {
    expect(() => read(member)).toThrow("signs in only to");
  });
});
