import { beforeAll, expect, test } from "vitest";
import { createToken } from "../../broker/tokens/create-token.ts";
import type { GrantablePermission } from "../../shared/permissions.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { svc } from "../support/programs/svc.ts";
import { givenJob } from "../support/rows/given.ts";

let cli: CommandLine;
let jobId: string;
beforeAll(async () => {
  cli = await startCommandLine();
  jobId = await givenJob(cli.db, cli.runner, { plan: '{"password": "hunter2"}' });
});

async function readPlan(grants: GrantablePermission[]) {
  const token = { name: "t", kind: "sa", role: "org_support", grants, createdById: "" } as const;
  const { secret } = await createToken(cli.db, cli.runner.orgId, token);
  const env = { SVC_URL: cli.url, SVC_TOKEN: secret };
  return await svc(["job", "get", jobId, "--only-plan"], { env });
}

test("svc job get --only-plan says which permission is missing, and who can grant it", async () => {
  const refused = await readPlan([]);
  expect(refused).toMatchObject({ code: 4, out: "" });
  expect(refused.err).toContain("lacks the permission plans.read");
  expect(refused.err).toContain("An admin of the org can grant it");
});

test("svc job get --only-plan says that secrets are hidden", async () => {
  const masked = await readPlan(["plans.read"]);
  expect(masked).toMatchObject({ code: 0, out: '{"password":"(secret)"}\n' });
  expect(masked.err).toContain("lacks the permission plans.secrets");
});
