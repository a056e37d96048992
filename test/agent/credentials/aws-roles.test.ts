import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type AwsKeys, signedHeaders } from "../../../agent/credentials/sign-v4.ts";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { startMoto } from "../../support/programs/start-moto.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { tool } from "../../tools/find-tool.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const account = "123456789012";
const region = "eu-central-1";
const arnOf = (role: string): string => `arn:aws:iam::${account}:role/${role}`;
const allow = (action: string, resource: string): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: action, Resource: resource }],
  });

/** Calls that set it up go first, unchecked; from then on AWS' double checks signatures and rights. */
async function givenAccount() {
  const moto = await startMoto(7);
  const iam = async (Action: string, members: Record<string, string>): Promise<string> => {
    const body = new URLSearchParams({ Action, Version: "2010-05-08", ...members }).toString();
    const url = new URL(moto.url);
    const keys: AwsKeys = { accessKeyId: "testing", secretAccessKey: "testing" };
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const request = { method: "POST", url, headers: type, body };
    const scope = { region: "us-east-1", service: "iam", atMs: Date.now() };
    const { host: _, ...headers } = signedHeaders(request, keys, scope);
    const answer = await fetch(url, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
    return await answer.text();
  };
  await iam("CreateUser", { UserName: "agent" });
  const made = await iam("CreateAccessKey", { UserName: "agent" });
  const user = { UserName: "agent", PolicyName: "p" };
  await iam("PutUserPolicy", { ...user, PolicyDocument: allow("sts:AssumeRole", arnOf("first")) });
  for (const RoleName of ["first", "second"]) {
    const trust = { RoleName, AssumeRolePolicyDocument: allow("sts:AssumeRole", "*") };
    await iam("CreateRole", trust);
  }
  const first = { RoleName: "first", PolicyName: "p" };
  await iam("PutRolePolicy", { ...first, PolicyDocument: allow("sts:*", "*") });
  const second = { RoleName: "second", PolicyName: "p" };
  await iam("PutRolePolicy", { ...second, PolicyDocument: allow("sts:GetCallerIdentity", "*") });
  const of = (tag: string): string => new RegExp(`<${tag}>([^<]*)<`).exec(made)?.[1] ?? "";
  const keys = { access_key_id: of("AccessKeyId"), secret_access_key: of("SecretAccessKey") };
  return { ...moto, keys };
}

/** A step in which AWS' own library for Python says who it is. */
const whoAmI = (url: string): object => ({
  argv: [
    "python3",
    "-c",
    "import boto3, os; open(os.environ['SVC_ACTIONS_OUTPUT_FILEPATH'], 'a').write('who=' + boto3.client('sts').get_caller_identity()['Arn'] + '\\n')",
  ],
  interpolated_env_vars: {
    AWS_ENDPOINT_URL: url,
    PYTHONPATH: path.join(path.dirname(tool("moto_server")), "packages"),
    PYTHONDONTWRITEBYTECODE: "1",
  },
});

describeWithTools(["moto_server"], "AWS roles of a job", () => {
  test("are taken on one from another, by keys, where signatures and rights are checked", async () => {
    const { url, keys } = await givenAccount();
    const runner = await givenKillableAgent(fleet);
    const aws_auth = {
      region,
      static: keys,
      assume_roles: [{ role_arn: arnOf("first") }],
      assume_role: { role_arn: arnOf("second"), session_name: "the-job" },
    };
    const id = await runner.enqueue({
      type: "actions-workflow",
      plan: JSON.stringify({ aws_auth, steps: [whoAmI(url)] }),
    });
    const ended = await runner.ended(id);
    expect(ended.description).toBe("");
    expect(ended.outputs["who"]).toBe(`arn:aws:sts::${account}:assumed-role/second/the-job`);
    const log = JSON.stringify([ended, await runner.logOf(id)]);
    expect(log).not.toContain(keys.secret_access_key);
  });

  test.each([
    [
      "by keys that are nobody's",
      { secret_access_key: "wrong-secret-key-1" },
      "first",
      "SignatureDoesNotMatch",
    ],
    ["that its keys may not be", {}, "second", "AccessDenied"],
  ])("fail %s, in the words of STS", async (_, wrong, role, words) => {
    const { url, keys } = await givenAccount();
    const runner = await givenKillableAgent(fleet);
    const aws_auth = {
      region,
      static: { ...keys, ...wrong },
      assume_role: { role_arn: arnOf(role) },
    };
    const id = await runner.enqueue({
      type: "actions-workflow",
      plan: JSON.stringify({ aws_auth, steps: [whoAmI(url)] }),
    });
    expect(await runner.ended(id)).toMatchObject({ status: "failed" });
    const log = (await runner.logOf(id)).join("\n");
    expect(log).toContain(`STS refused the role ${arnOf(role)}: ${words}`);
    expect(log).not.toContain("wrong-secret-key-1");
  });

  test("are taken on by a token that the plan gives", async () => {
    const { url } = await startMoto();
    const runner = await givenKillableAgent(fleet);
    const web_identity = { role_arn: arnOf("first"), token: "a.b.c" };
    const plan = { aws_auth: { region, web_identity }, steps: [whoAmI(url)] };
    const id = await runner.enqueue({ type: "actions-workflow", plan: JSON.stringify(plan) });
    const ended = await runner.ended(id);
    expect(ended.outputs["who"]).toBe(`arn:aws:sts::${account}:assumed-role/first/svc-job`);
  });
});
