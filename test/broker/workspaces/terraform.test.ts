import { execFileSync } from "node:child_process";
import { open, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { WorkspaceState } from "../../../shared/api/terraform-workspaces.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { givenTerraform, type Terraform } from "../../support/terraform/terraform.ts";
import {
  type GivenStateJob,
  givenStateJob,
  givenWorkspace,
} from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const resource = (input: string): string => `resource "terraform_data" "one" {
  input = "${input}"
}
output "input" {
  value = terraform_data.one.output
}
`;

/** Sensitive within an object of a dynamic type, in a map, as a whole, in an output and in an output's type. */
const sensitive = (version: number): string => `locals {
  login  = sensitive("hunter2-${version}")
  opened = sensitive(jsondecode("{\\"hunter2-name\\": \\"hunter2\\"}"))
}
resource "terraform_data" "one" {
  input            = { code = local.login, list = [{ code = local.login }], plain = "v-${version}" }
  triggers_replace = local.opened
}
resource "terraform_data" "all" {
  input = local.login
}
output "opened" {
  value     = local.opened
  sensitive = true
}
output "plain" {
  value = "v-${version}"
}
`;

type Given = { readonly id: string; readonly job: GivenStateJob; readonly terraform: Terraform };

/** A terraform that works as a job does: with the job's own token. */
async function givenInitialized(): Promise<Given> {
  const id = await givenWorkspace(at);
  const job = await givenStateJob(at, id);
  const terraform = await givenTerraform(at, { workspaceId: id, token: job.token });
  await terraform.configure(resource("first"));
  expect(await terraform.run("init")).toMatchObject({ code: 0, err: "" });
  return { id, job, terraform };
}

async function revisions(id: string): Promise<WorkspaceState[]> {
  type Page = { items: WorkspaceState[] };
  return (await at.call<Page>(`GET /v1/terraform-workspaces/${id}/states`)).body.items;
}

describeWithTools(["terraform"], "terraform with a job's token", () => {
  test("inits, plans, applies and reads its state; each apply is a revision", async () => {
    const { id, terraform } = await givenInitialized();
    expect((await terraform.run("plan -detailed-exitcode")).code).toBe(2);
    expect(await terraform.run("apply -auto-approve")).toMatchObject({ code: 0, err: "" });
    expect((await terraform.run("plan -detailed-exitcode")).code).toBe(0);
    expect((await terraform.run("state list")).out).toBe("terraform_data.one\n");
    await terraform.configure(resource("second"));
    expect((await terraform.run("apply -auto-approve")).code).toBe(0);
    expect((await terraform.run("output -raw input")).out).toBe("second");
    const kept = await revisions(id);
    expect(kept.length).toBeGreaterThan(1);
    expect(kept[0]).toMatchObject({ is_current: true });
    expect((await at.call(`GET /v1/terraform-workspaces/${id}/lock`)).status).toBe(404);
    expect((await terraform.run("destroy -auto-approve")).code).toBe(0);
    expect((await terraform.run("state list")).out).toBe("");
  });

  test("finds the workspace locked while another applies, and is told by which lock", async () => {
    const { id, job, terraform } = await givenInitialized();
    const other = await givenTerraform(at, { workspaceId: id, token: job.token });
    await other.configure(resource("other"));
    expect((await other.run("init")).code).toBe(0);
    const pipe = path.join(terraform.folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    await terraform.configure(`resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "cat ${pipe}"
  }
}
`);
    const applying = terraform.run("apply -auto-approve");
    // Opens when the provisioner reads: from here the apply holds the lock and waits for us.
    const opened = await writeWhenRead(pipe);
    const lock = await at.call<{ lock: { id: string } }>(`GET /v1/terraform-workspaces/${id}/lock`);
    expect(lock.status).toBe(200);
    const refused = await other.run("apply -auto-approve -lock-timeout=0s");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("Error acquiring the state lock");
    expect(refused.err).toContain(lock.body.lock.id);
    await opened("go on\n");
    expect(await applying).toMatchObject({ code: 0 });
    expect((await other.run("apply -auto-approve")).code).toBe(0);
  });

  test("finds a blocked workspace locked, with the block in place of a lock", async () => {
    const { id, terraform } = await givenInitialized();
    const path = `/v1/terraform-workspaces/${id}`;
    await at.call(`POST ${path}/block`, { body: { reason: "apply was killed" } });
    const refused = await terraform.run("apply -auto-approve");
    expect(refused.code).toBe(1);
    expect(refused.err.replaceAll(/\s+/g, " ")).toContain(
      `ID=blocked: apply was killed. Look into it, then: svc workspace unblock ${id} --reason`,
    );
    await at.call(`POST ${path}/unblock`, { body: { reason: "imported" } });
    expect((await terraform.run("apply -auto-approve")).code).toBe(0);
  });

  test("is told why when its execution has ended", async () => {
    const { job, terraform } = await givenInitialized();
    await at.call(`POST /v1/runner-jobs/${job.jobId}/cancel`);
    const refused = await terraform.run("apply -auto-approve");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("ID=execution_ended: it takes");
  });

  test("takes a lock away with an operator's token only", async () => {
    const { id, terraform } = await givenInitialized();
    const body = { ID: "stale-lock", Operation: "OperationTypeApply", Who: "a dead host" };
    await at.call(`POST /v1/terraform-workspaces/${id}/lock`, { body });
    const refused = await terraform.run("force-unlock -force stale-lock");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("423");
    expect((await terraform.run("force-unlock -force stale-lock", at.token)).code).toBe(0);
    expect((await terraform.run("apply -auto-approve")).code).toBe(0);
    const events = await at.call<object[]>(`GET /v1/terraform-workspaces/${id}/events`);
    expect(events.body[0]).toMatchObject({ kind: "force-unlocked", info: { ID: "stale-lock" } });
  });

  test("cannot push an older state, by force neither", async () => {
    const { id, terraform } = await givenInitialized();
    await terraform.run("apply -auto-approve");
    const old = path.join(terraform.folder, "old.json");
    await writeFile(old, (await terraform.run("state pull")).out);
    await terraform.configure(resource("second"));
    await terraform.run("apply -auto-approve");
    const before = await revisions(id);
    expect((await terraform.run(`state push ${old}`)).code).toBe(1);
    const forced = await terraform.run(`state push -force ${old}`);
    expect(forced.code).toBe(1);
    expect(forced.err).toContain("HTTP error: 409");
    expect(await revisions(id)).toEqual(before);
    const other = JSON.parse(await readFile(old, "utf8")) as object;
    await writeFile(old, JSON.stringify({ ...other, lineage: crypto.randomUUID(), serial: 99 }));
    expect((await terraform.run(`state push -force ${old}`)).err).toContain("HTTP error: 409");
  });

  test("marks what is sensitive, and who may only read sees none of it", async () => {
    const { id, terraform } = await givenInitialized();
    for (const version of [1, 2]) {
      await terraform.configure(sensitive(version));
      expect(await terraform.run("apply -auto-approve")).toMatchObject({ code: 0, err: "" });
    }
    const token = await givenToken(at.db, { orgId: at.orgId, role: "org_read_only" });
    const path = `/v1/terraform-workspaces/${id}`;
    const contents = await at.call(`GET ${path}/states/current/contents`);
    expect(JSON.stringify(contents.body)).toContain("hunter2");
    for (const what of ["states/current/resources", "states/current/outputs", "diff"]) {
      const { status, body } = await at.call(`GET ${path}/${what}`, { token });
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toMatch(/v-2|opened/);
      expect(JSON.stringify(body)).not.toContain("hunter2");
    }
  });

  test("goes on from a rollback as from any other state", async () => {
    const { id, job, terraform } = await givenInitialized();
    await terraform.run("apply -auto-approve");
    const [first] = await revisions(id);
    await terraform.configure(resource("second"));
    await terraform.run("apply -auto-approve");
    const body = { revision: first?.revision, reason: "the second was wrong" };
    expect((await at.call(`POST /v1/terraform-workspaces/${id}/rollback`, { body })).status).toBe(
      200,
    );
    expect((await terraform.run("output -raw input")).out).toBe("first");
    expect((await terraform.run("apply -auto-approve")).code).toBe(0);
    expect((await terraform.run("output -raw input")).out).toBe("second");
    expect((await terraform.run("apply -auto-approve", `${job.token}x`)).code).toBe(1);
  });
});

/** Resolves when somebody reads from the pipe; then answers how to write to it and close it. */
async function writeWhenRead(pipe: string): Promise<(text: string) => Promise<void>> {
  const file = await open(pipe, "w");
  return async (text) => {
    await file.write(text);
    await file.close();
  };
}
