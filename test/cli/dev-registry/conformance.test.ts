import { expect, test } from "vitest";
import { runTool } from "../../support/programs/run-tool.ts";
import { givenDevRegistry } from "../../support/registry/given-dev-registry.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

describeWithTools(["oci-conformance"], "the registry of svc dev", () => {
  test("passes the distribution spec's own suite, with the broker's tokens, without a failure", async () => {
    const { host, orgId, login } = await givenDevRegistry();
    const report = await runTool("oci-conformance", [], {
      cwd: await testFolder(),
      env: {
        OCI_REGISTRY: host,
        OCI_TLS: "disabled",
        OCI_VERSION: "1.1",
        OCI_REPO1: `${orgId}/conformance/one`,
        OCI_REPO2: `${orgId}/conformance/two`,
        OCI_USERNAME: login.username,
        OCI_PASSWORD: login.password,
      },
    });
    const count = (word: string) => Number(new RegExp(`${word}\\.+: +(\\d+)`).exec(report)?.[1]);
    expect([count("FAIL"), count("Error"), count("Skip")]).toEqual([0, 0, expect.any(Number)]);
    expect(count("Pass")).toBeGreaterThan(700);
  });
});
