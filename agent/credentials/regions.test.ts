import { describe, expect, test } from "vitest";
import { readCredentials } from "./read-credentials.ts";
import { awsUrl } from "./regions.ts";
import { stsUrl } from "./sts.ts";

const evil = ["x@evil.example/#", "eu-central-1.evil.example", "eu-central-1\n", "..", ""];

describe("a region of AWS", () => {
  test.each(["eu-central-1", "us-gov-west-1", "cn-north-1", "eusc-de-east-1"])(
    "may be %s",
    (one) => {
      expect(new URL(awsUrl("sts", one)).hostname).toMatch(
        /^sts\.[a-z0-9-]+\.amazonaws\.(?:com(?:\.cn)?|eu)$/,
      );
    },
  );

  test.each(evil)("is never %j, wherever that would lead", (region) => {
    for (const ask of [() => stsUrl({}, region), () => awsUrl("api.ecr", region)])
      expect(ask).toThrow("must be the name of an AWS region");
  });
});

test.each<[string, object]>([
  ["aws_auth.region must be the name of an AWS region", { aws_auth: { region: "x@evil" } }],
  ["gcp_auth.region must be 1 to 64", { gcp_auth: { region: "a/b" } }],
  ["cluster_info.region must be 1 to 64", { cluster_info: { region: "a.b" } }],
  [
    "cluster_info.region must be the name of an AWS region",
    { cluster_info: { cloud: "aws", region: "westeurope" } },
  ],
  [
    "aws_auth.web_identity.token is set without role_arn",
    { aws_auth: { web_identity: { token: "t" } } },
  ],
])("a plan's credentials are refused: %s", (words, plan) => {
  expect(() => readCredentials(plan)).toThrow(words);
});
