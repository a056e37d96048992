import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { Workspace } from "../../shared/api/terraform-workspaces.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { send } from "../support/broker/broker.ts";
import { givenFleet } from "../support/broker/given-fleet.ts";
import { svcSource } from "../support/programs/present-programs.ts";
import { startSvc, svc, type SvcOptions } from "../support/programs/svc.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { testFolder } from "../support/run/folder.ts";
import { providerTools } from "../support/terraform/given-providers.ts";
import { tool } from "../tools/find-tool.ts";

type Dev = { readonly url: string; readonly runner_id: string; readonly admin_token: string };

const example = path.join(import.meta.dirname, "..", "..", "examples", "terraform-hello");

describeWithTools(["terraform"], "svc terraform and the agent of svc dev", () => {
  test("plans, asks, applies exactly that plan, finds no drift, and destroys", async () => {
    const dataDir = await testFolder();
    const env = { SVC_DATA_DIR: dataDir };
    const dev = startSvc(["dev", "--json", "--port", "0", "--data-dir", dataDir], {
      main: svcSource,
    });
    await expect.poll(() => dev.said.out || dev.said.err).toMatch(/\{"url".+\n/);
    const { url, runner_id: runnerId, admin_token: token } = JSON.parse(dev.said.out) as Dev;
    const at = [example, "--runner", runnerId];
    const vars = ["--var", "name=planted"];
    const run = (words: readonly string[], options: SvcOptions = {}) =>
      svc(["terraform", ...words], { ...options, env });
    const workspaces = async () =>
      (await send<{ items: Workspace[] }>(url, "GET /v1/terraform-workspaces", { token })).body
        .items;

    const planned = await run(["plan", ...at, ...vars]);
    expect(planned).toMatchObject({ code: 0 });
    expect(planned.out).toContain("terraform_data.greeting will be created");
    expect(planned.out).toContain("Plan: 1 to add, 0 to change, 0 to destroy.");
    expect(planned.err).toContain("[plan]");
    expect(planned.err).not.toContain("terraform_data.greeting will be created");
    expect(await workspaces()).toMatchObject([{ revision: 0, owner_type: "svc-terraform" }]);

    const jobId = /--job (job_\w+)/.exec(planned.err)?.[1] ?? "";
    const applied = await run(["apply", "--job", jobId], { input: "yes\n" });
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.out).toContain('greeting = "Hello, planted!"');
    expect(await workspaces()).toMatchObject([{ lock: null, block: null }]);
    const stale = await run(["apply", "--job", jobId, "--auto-approve"]);
    expect(stale.code).toBe(1);

    const calm = await run(["drift", ...at, ...vars]);
    expect(calm).toMatchObject({ code: 0 });
    expect(calm.out).toContain("No drift");
    const destroyed = await run(["destroy", ...at, "--auto-approve"]);
    expect(destroyed).toMatchObject({ code: 0 });
    expect(destroyed.out).toContain("1 to destroy");
    const gone = await run(["destroy", ...at, "--auto-approve"]);
    expect(gone.err).toContain("There is nothing to apply.");

    const folder = await testFolder();
    await writeFile(
      path.join(folder, "main.tf"),
      'resource "terraform_data" "x" {\n  input =\n}\n',
    );
    const wrong = await run(["plan", folder, "--runner", runnerId]);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain("main.tf");
    const failedId = /^(job_\w+) is/m.exec(wrong.err)?.[1] ?? "";
    const failed = await send<RunnerJob>(url, `GET /v1/runner-jobs/${failedId}`, { token });
    expect(failed.body.composite_error?.type).toBe("terraform.config_invalid");
    dev.kill("SIGINT"); // killed, it would leave its agent behind
    expect(await dev.ended).toMatchObject({ code: 0 });
  });
});

describeWithTools(["terraform", ...providerTools(["local"])], "svc terraform drift", () => {
  test("says what was changed behind terraform's back, by its exit code too, and apply mends it", async () => {
    const fleet = await givenFleet();
    const runner = await fleet.addRunner({ parallelism: { deploy: 2 } });
    const mirror = path.dirname(tool("terraform-provider-local"));
    await startAgentProcess({
      url: fleet.broker.url,
      env: { SVC_AGENT_TOKEN: runner.token },
      settings: { groups: "deploy=2", "provider-mirror": mirror },
    });
    const [folder, made] = [await testFolder(), path.join(await testFolder(), "made.txt")];
    const source = `
terraform {
  required_providers {
    local = { source = "hashicorp/local" }
  }
}
resource "local_file" "made" {
  filename = ${JSON.stringify(made)}
  content  = "as it was"
}
`;
    await writeFile(path.join(folder, "main.tf"), source);
    const env = { SVC_URL: fleet.broker.url, SVC_TOKEN: runner.operatorToken };
    const run = (...words: string[]) =>
      svc(["terraform", ...words, "--runner", runner.runnerId], { env });
    expect(await run("apply", folder, "--auto-approve")).toMatchObject({ code: 0 });
    expect(await readFile(made, "utf8")).toBe("as it was");
    expect((await run("drift", folder)).code).toBe(0);
    await rm(made);
    const drift = await run("drift", folder);
    expect(drift.code).toBe(7);
    expect(drift.out).toContain("local_file.made was deleted outside of terraform");
    expect(await run("apply", folder, "--auto-approve")).toMatchObject({ code: 0 });
    expect(await readFile(made, "utf8")).toBe("as it was");
    await rm(made);
    const more = { orgId: runner.orgId, role: "org_builder" } as const;
    const builder = { SVC_URL: fleet.broker.url, SVC_TOKEN: await givenToken(fleet.db, more) };
    const words = ["terraform", "plan", folder, "--runner", runner.runnerId];
    const blind = await svc(words, { env: builder });
    expect(blind).toMatchObject({ code: 2, out: "" });
    expect(blind.err).toMatch(/\[diff\] # local_file\.made will be created[^]+plans\.secrets/);
  });
});
