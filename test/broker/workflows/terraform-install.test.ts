import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { hclText } from "../../../broker/installs/hcl-text.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";
import { findTool } from "../../tools/find-tool.ts";

const { brokers, setup } = await givenWorkflowsApi();
const odd = '${path.cwd} $${x} %{ if "true" } <<EOT\nEOT\n\\ \u0007 \u007f é 😀';

/** What terraform prints, given this on its standard input. */
async function terraform(args: readonly string[], input: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = execFile(findTool("terraform") ?? "", [...args], (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${stderr}${stdout}`));
    });
    child.stdin?.end(input);
  });
}

async function givenFile() {
  const org = await setup();
  const { body: made } = await org.create({
    name: 'a "quoted" ${name}',
    inputs: { audience: "world", secret: "s3cr3t-value", greeting: odd, size: 12 },
    aws_account: { region: "eu-west-1", account_id: "123456789012" },
    start: false,
  });
  const path = `/v1/installs/${made.id}/generate-terraform-installer-config`;
  const answer = await fetch(`${brokers[0]?.url ?? ""}${path}`, {
    headers: { authorization: `Bearer ${org.token}` },
  });
  return { made, appId: org.appId, answer, text: await answer.text() };
}

test("an install as a configuration of Terraform has its app, account and inputs, and no secret", async () => {
  const { made, appId, answer, text } = await givenFile();
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  expect(answer.headers.get("content-disposition")).toContain("install.tf");
  expect(text).not.toContain("s3cr3t");
  expect(text).toContain(
    `
variable "input_secret" {
  description = "The input secret, which is sensitive."
  type        = string
  sensitive   = true
}

import {
  to = svc_install.install
  id = "${made.id}"
}

resource "svc_install" "install" {
  app_id = "${appId}"
  name   = "a \\"quoted\\" $\${name}"

  aws {
    region     = "eu-west-1"
    account_id = "123456789012"
  }

  input {
    name  = "audience"
    value = "world"
  }

  input {
    name  = "greeting"
    value = ${hclText(odd)}
  }

  input {
    name  = "secret"
    value = var.input_secret
  }

  input {
    name  = "size"
    value = "12"
  }
}
`,
  );
});

describeWithTools(["terraform"], "Terraform", () => {
  test("finds nothing to format in an install's configuration", async () => {
    const { text } = await givenFile();
    expect(await terraform(["fmt", "-"], text)).toBe(text);
  });

  test("reads texts as they were", async () => {
    const texts = [odd, "$${x} $$${y} %%{z}", "\b\f\t\\${x}"];
    const asked = `base64encode(jsonencode([${texts.map((one) => hclText(one)).join(", ")}]))\n`;
    const read = (await terraform(["console", "-no-color"], asked)).trim();
    const json = Buffer.from(read.replaceAll('"', ""), "base64").toString();
    expect(JSON.parse(json)).toEqual(texts);
  });
});
