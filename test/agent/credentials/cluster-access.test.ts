import { execFile } from "node:child_process";
import { once } from "node:events";
import https from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { eksToken } from "../../../agent/credentials/eks-token.ts";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { tlsCertificate, tlsKey } from "../../support/network/tls-certificate.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { tool } from "../../tools/find-tool.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** A cluster's API server, as far as it hears who asks. */
async function startListener(): Promise<{ readonly endpoint: string; readonly heard: string[] }> {
  const heard: string[] = [];
  const server = https.createServer({ cert: tlsCertificate, key: tlsKey }, (request, response) => {
    heard.push(request.headers.authorization ?? "");
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { endpoint: `https://localhost:${(server.address() as AddressInfo).port}`, heard };
}

describeWithTools(["kubectl"], "kubectl in a job", () => {
  test("gets its token for a cluster of EKS from this very program, and no other", async () => {
    const { endpoint, heard } = await startListener();
    const runner = await givenKillableAgent(fleet);
    const keys = { access_key_id: "AKIA1", secret_access_key: "secret-key-1" };
    const plan = {
      aws_auth: { region: "eu-central-1", static: keys },
      cluster_info: {
        id: "prod",
        endpoint,
        ca_data: Buffer.from(tlsCertificate).toString("base64"),
      },
      steps: [{ argv: [tool("kubectl"), "get", "--raw", "/version"] }],
    };
    const id = await runner.enqueue({ type: "actions-workflow", plan: JSON.stringify(plan) });
    expect((await runner.ended(id)).description).toBe("");
    expect(heard).toEqual([expect.stringMatching(/^Bearer k8s-aws-v1\.[\w-]+$/)]);
    const [, signed = ""] = heard[0]?.split(".") ?? [];
    expect(Buffer.from(signed, "base64url").toString()).toContain("Credential=AKIA1%2F");
  });
});

/** As AWS' own program makes a token for EKS, by its library's signer, at a given instant. */
const signedByBotocore = `
import datetime, json, sys
import botocore.auth, botocore.awsrequest, botocore.credentials
given = json.load(sys.stdin)
at = datetime.datetime.strptime(given["at"], "%Y%m%dT%H%M%SZ")
botocore.auth.get_current_datetime = lambda *_, **__: at
keys = botocore.credentials.Credentials("AKIA1", "secret-key-1", "session/+=1")
request = botocore.awsrequest.AWSRequest("GET", given["url"], headers={"x-k8s-aws-id": "prod"})
botocore.auth.SigV4QueryAuth(keys, "sts", "eu-central-1", expires=60).add_auth(request)
print(request.url)
`;

describeWithTools(["moto_server"], "a token for EKS", () => {
  test("is what AWS' own library for Python would have signed in the same second", async () => {
    const keys = {
      accessKeyId: "AKIA1",
      secretAccessKey: "secret-key-1",
      sessionToken: "session/+=1",
    };
    const { token } = eksToken({}, keys, { cluster: "prod", region: "eu-central-1" });
    const ours = new URL(Buffer.from(token.slice("k8s-aws-v1.".length), "base64url").toString());
    const url = `${ours.origin}/?Action=GetCallerIdentity&Version=2011-06-15`;
    const given = JSON.stringify({ url, at: ours.searchParams.get("X-Amz-Date") });
    const packages = path.join(path.dirname(tool("moto_server")), "packages");
    const python = execFile("python3", ["-c", signedByBotocore], {
      env: { PATH: process.env["PATH"], PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: "1" },
    });
    python.stdin?.on("error", () => {}); // it may end without reading: what it prints says how
    python.stdin?.end(given);
    const theirs = new URL((await text(python.stdout ?? Readable.from([]))).trim());
    const membersOf = (one: URL) => Object.fromEntries(one.searchParams);
    expect(membersOf(ours)).toEqual(membersOf(theirs));
    expect(ours.host).toBe("sts.eu-central-1.amazonaws.com");
  });
});
