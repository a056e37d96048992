import { expect, test } from "vitest";
import { startMoto } from "../support/programs/start-moto.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";

describeWithTools(["moto_server"], "moto", () => {
  test("a role is assumed by a web identity, and says who it is", async () => {
    const { url } = await startMoto();
    const role = "arn:aws:iam::123456789012:role/deploy";
    const answer = await ask(url, "sts", {
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: role,
      RoleSessionName: "session",
      WebIdentityToken: "a.b.c",
    });
    expect(answer).toContain("assumed-role/deploy/session");
    expect(answer).toMatch(/<AccessKeyId>ASIA/);
  });

  test("a stack is created, and described as it is", async () => {
    const { url } = await startMoto();
    const template = { Resources: { Queue: { Type: "AWS::SQS::Queue", Properties: {} } } };
    const stack = { Version: "2010-05-15", StackName: "it" };
    const body = { Action: "CreateStack", ...stack, TemplateBody: JSON.stringify(template) };
    expect(await ask(url, "cloudformation", body)).toContain("<StackId>");
    const described = await ask(url, "cloudformation", { Action: "DescribeStacks", ...stack });
    expect(described).toContain("CREATE_COMPLETE");
  });
});

/** As AWS' own libraries ask, with a signature that nobody checks. */
async function ask(url: string, service: string, body: Record<string, string>): Promise<string> {
  const scope = `testing/20260101/eu-central-1/${service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization },
    body: new URLSearchParams(body),
  });
  return await answer.text();
}
