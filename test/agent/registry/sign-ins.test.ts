import { expect, test } from "vitest";
import { readRegistryPlace } from "../../../agent/registry/registry-place.ts";
import { signIn } from "../../../agent/registry/sign-in.ts";
import { startCloudDouble } from "../../support/agent/cloud-double.ts";

const ecr = "123456789012.dkr.ecr.eu-central-1.amazonaws.com";
const keysOfHost = { AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: "s" };

test("a sign-in ends with the job, whatever the cloud does", async () => {
  const member = { loginServer: ecr, repository: "a/b", ecrauth: { use_default: true } };
  const stopping = new AbortController();
  const cloud = await startCloudDouble(() => {
    stopping.abort();
    return { status: 503, body: {} };
  });
  const agent = { config: { env: { ...keysOfHost, AWS_ENDPOINT_URL: cloud.url } } };
  const { identity = { kind: "nobody" } } = readRegistryPlace(member, "it") ?? {};
  const job = { agent, signal: stopping.signal, addSecret: () => {} };
  const signing = signIn(job, { identity, origin: `https://${ecr}` });
  await expect(signing).rejects.toThrow("stopped before it had signed in");
});
