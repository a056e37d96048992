import { describe, expect, test } from "vitest";
import { readAwsAuth } from "../../../agent/credentials/read-aws-auth.ts";
import { startCloudDouble } from "../../support/agent/cloud-double.ts";
import { startMoto } from "../../support/programs/start-moto.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { givenAwsSecret, region } from "../../support/secrets/aws-secrets.ts";
import { openStoreOf } from "../../support/secrets/given-stores.ts";

const text = async (read: ReturnType<ReturnType<typeof openStoreOf>["read"]>) =>
  (await read)?.value.toString();
const keys = { accessKeyId: "testing", secretAccessKey: "testing" };
const aws = (secret_arn: string, env: object, identity: object = { keys, roles: [] }) =>
  openStoreOf(
    { secret_arn },
    { aws: { region, keys: undefined, roles: [], ...identity } },
    { env: env as Readonly<Record<string, string>> },
  );

describe("AWS Secrets Manager", () => {
  const arn = `arn:aws:secretsmanager:${region}:123456789012:secret:license-AbCdEf`;
  const refusal = (code: string, message: string) => ({
    status: 400,
    body: { __type: `com.amazonaws.secretsmanager#${code}`, message },
  });

  test("is asked again while it throttles, in its region, by a signed request", async () => {
    const cloud = await startCloudDouble(() =>
      cloud.asked.length <= 2
        ? refusal("ThrottlingException", "Rate exceeded")
        : { body: { VersionId: "v", SecretString: "value" } },
    );
    expect(await text(aws(arn, { AWS_ENDPOINT_URL: cloud.url }).read())).toBe("value");
    const { headers } = cloud.asked.at(-1) ?? {};
    expect(cloud.asked).toHaveLength(3);
    expect(headers?.["x-amz-target"]).toBe("secretsmanager.GetSecretValue");
    expect(headers?.authorization).toContain(`/${region}/secretsmanager/aws4_request`);
  });

  test.each([
    ["AccessDeniedException", "forbidden"],
    ["DecryptionFailure", "forbidden"],
    ["UnrecognizedClientException", "auth"],
    ["InvalidSignatureException", "auth"],
    ["InvalidRequestException", "refused"],
  ])("says itself why it refuses: %s", async (code, kind) => {
    const cloud = await startCloudDouble(() => refusal(code, "It may not be."));
    const url = { AWS_ENDPOINT_URL_SECRETS_MANAGER: cloud.url };
    await expect(aws(arn, url).read()).rejects.toMatchObject({
      class: kind,
      message: `${code}: It may not be`,
    });
  });
});

describeWithTools(["moto_server"], "AWS Secrets Manager, as moto plays it,", () => {
  test("gives texts and bytes, has no value where there is none, and takes a first one once", async () => {
    const moto = await startMoto();
    const stored = await givenAwsSecret(moto, "acme/license", "l\u00edcense");
    expect((await aws(stored, moto.env).read())?.value.toString()).toBe("l\u00edcense");
    const bytes = Buffer.from([0, 0xff, 0xc3]);
    const binary = await givenAwsSecret(moto, "bytes", bytes);
    expect((await aws(binary, moto.env).read())?.value).toEqual(bytes);

    const absent = stored.replace(/license-.*/, "nothing-AbCdEf");
    expect(await aws(absent, moto.env).read()).toBeUndefined();
    await expect(aws(absent, moto.env).fill("made")).rejects.toMatchObject({ class: "not_found" });

    const empty = await givenAwsSecret(moto, "empty");
    expect(await aws(empty, moto.env).read()).toBeUndefined();
    const made = await Promise.all(["a", "b", "c"].map((one) => aws(empty, moto.env).fill(one)));
    const [winner, ...others] = made.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    expect(await aws(empty, moto.env).read()).toEqual(winner);
  });

  test("is asked by roles that are taken on, and by nobody whom AWS refuses", async () => {
    const moto = await startMoto();
    const stored = await givenAwsSecret(moto, "license", "value");
    const arnOf = (role: string): string => `arn:aws:iam::123456789012:role/${role}`;
    const auth = {
      web_identity: { role_arn: arnOf("first"), token: "a.b.c" },
      assume_role: { role_arn: arnOf("second"), session_name: "sync" },
    };
    const identity = readAwsAuth(auth, "aws_auth", region);
    expect(await text(aws(stored, moto.env, identity).read())).toBe("value");
    const strict = await startMoto(0);
    await expect(aws(stored, strict.env).read()).rejects.toMatchObject({
      name: "SecretFault",
      class: expect.stringMatching(/auth|forbidden/) as string,
    });
  });
});
