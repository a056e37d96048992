import { describe, expect, test } from "vitest";
import { canChangeUsers, givenJobUsers, leftOut } from "../../../support/agent/given-job-users.ts";
import { givenFleet } from "../../../support/broker/given-fleet.ts";
import {
  approvedPlan,
  givenTerraformWorkspace,
} from "../../../support/terraform/given-terraform.ts";

if (!canChangeUsers) test(leftOut, () => expect(canChangeUsers).toBe(false));

const asRoot = canChangeUsers ? describe : () => {};
asRoot("terraform as another user than the agent", () => {
  test("plans and applies, and finds none of the agent's files", async () => {
    const fleet = await givenFleet();
    const runner = await givenJobUsers(fleet, [59_460, 59_462], { groups: "deploy=2" });
    const terraform = await givenTerraformWorkspace(fleet, runner);
    const files = {
      "main.tf": `
resource "terraform_data" "one" {
  provisioner "local-exec" { command = "echo user $(id -u); cat ${runner.tokenFile} || true" }
}
output "id" { value = terraform_data.one.id }
`,
    };
    const planned = await runner.run(await terraform.job("create-apply-plan", { files }));
    expect(planned).toMatchObject({ status: "finished" });
    const plan = approvedPlan(planned);
    const applied = await runner.run(await terraform.job("apply-plan", { files, plan }));
    expect(applied).toMatchObject({ status: "finished" });
    const lines = await runner.logOf(applied.id);
    expect(lines.join("\n")).toMatch(/user 5946\d/);
    expect(lines.join("\n")).toContain("Permission denied");
    expect(lines.join("\n")).not.toContain("user 0");
  });
});
