import { expect, test } from "vitest";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import { until } from "../../support/broker/given-polling.ts";
import { digestOf } from "../../support/builds/given-builder.ts";
import {
  configOf,
  givenPolicies,
  made,
  policy,
  unsigned,
} from "../../support/policies/given-policies.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";
import { findTool } from "../../tools/find-tool.ts";

const { setup } = await givenWorkflowsApi({
  brokers: 2,
  env: { SVC_REGISTRY: "https://registry.example.com", SVC_OPA: findTool("opa") ?? "" },
});
const given = (config: object, ends = () => made()) => givenPolicies(setup, config, ends);

describeWithTools(["opa"], "policies of builds", () => {
  test("a denial fails the build with the policy and its message, before it is active; another component's goes on", async () => {
    const shop = await given(configOf(unsigned));
    const build = await shop.build("cache", "active", "policy_failed", "error");
    const detail = "The policy signed denies it: docker.io/library/redis:7 is not signed";
    expect(build).toMatchObject({
      status: "policy_failed",
      status_description: detail,
      composite_error: { code: "policy_denied", detail, retryable: false },
    });
    expect(build.artifact).toBeUndefined();
    const workflow = await shop.reach(build.workflow_id, "error");
    expect(workflow.composite_error).toMatchObject({ code: "policy_denied" });
    const [report] = build.policy_reports;
    expect(report).toMatchObject({
      owner_type: "component_builds",
      owner_id: build.id,
      app_name: "shop",
      component_name: "cache",
      install_id: "",
      runner_job_id: build.build_runner_job_id,
      verdict: "deny",
      deny_count: 1,
      warn_count: 0,
      pass_count: 0,
      inputs: [{ id: build.id, type: "image", name: `docker.io/library/redis:7@${digestOf("a")}` }],
      policies: [{ policy_name: "signed", status: "deny", deny_count: 1, input_count: 1 }],
      violations: [
        {
          policy_name: "signed",
          input_index: 0,
          severity: "deny",
          message: "docker.io/library/redis:7 is not signed",
        },
      ],
    });
    expect(await shop.build("other", "active", "policy_failed", "error")).toMatchObject({
      status: "active",
      policy_reports: [],
    });
  });

  test("a warning leaves it active with the report, and what nobody looked at counts as unsigned", async () => {
    const warning = policy("warned", 'warn contains "no sbom" if not input.metadata.sbom');
    const shop = await given(configOf(warning), () => made({ metadata: undefined }));
    expect(await shop.build("cache", "active", "policy_failed", "error")).toMatchObject({
      status: "active",
      artifact: { digest: digestOf("a") },
      policy_reports: [{ verdict: "warn", warn_count: 1 }],
    });
  });

  test("what cannot be evaluated is no consent, and a later policy is not asked", async () => {
    const loop = policy(
      "loops",
      "deny contains 1 if { some i, j in numbers.range(1, 40); x := i + j; deny_not(x) }\ndeny_not(x) := 1 if x > 2\ndeny_not(x) := 2 if x > 3",
    );
    const shop = await given(configOf(loop, policy("silent", "warn contains 1")));
    const build = await shop.build("cache", "active", "policy_failed", "error");
    expect(build).toMatchObject({
      status: "error",
      composite_error: { code: "policy_unavailable" },
      policy_reports: [{ verdict: "error", policies: [{ policy_name: "loops" }] }],
    });
    expect(build.status_description).toMatch(/^The policy loops cannot be evaluated: /);
  });

  test("a workflow that is resumed builds anew, and its policies judge that", async () => {
    let isSigned = false;
    const shop = await given(configOf(unsigned), () => made({ metadata: { signed: isSigned } }));
    const failed = await shop.build("cache", "policy_failed");
    await shop.reach(failed.workflow_id, "error");
    isSigned = true;
    await shop.api(`POST /v1/workflows/${failed.workflow_id}/resume`, {});
    await shop.reach(failed.workflow_id, "success");
    const builds = await shop.api<ComponentBuild[]>(`GET /v1/builds?app_id=${shop.appId}`);
    expect(builds.body.map(({ status }) => status)).toEqual(["active", "policy_failed"]);
    expect((await shop.reports(`app_id=${shop.appId}`)).map((one) => one.verdict)).toEqual([
      "pass",
      "deny",
    ]);
  });

  test("a broker that was killed while it evaluated is followed by another when its time is over", async () => {
    const shop = await given(configOf(unsigned));
    // As a broker leaves it that took it and is gone.
    await shop.db`
      create or replace function take_as_lost() returns trigger language plpgsql as $$
        begin new.taken_until := svc_now() + interval '1 second'; new.tries := 1; return new; end $$`;
    await shop.db`
      create trigger lost before insert on policy_evaluations for each row
        when (new.tries = 0) execute function take_as_lost()`;
    try {
      const build = await shop.build("cache", "active", "policy_failed", "error");
      expect(build).toMatchObject({ status: "policy_failed", policy_reports: [{ deny_count: 1 }] });
    } finally {
      await shop.db`drop trigger lost on policy_evaluations`;
    }
    expect(await shop.reports(`app_id=${shop.appId}`)).toHaveLength(1);
  });

  test("a build that is cancelled while its policies are evaluated is not active", async () => {
    const slow = policy(
      "slow",
      "deny contains 1 if { some i in numbers.range(1, 100000); some j in numbers.range(1, 100000); i * j == 0 }",
    );
    const shop = await given(configOf(slow));
    const build = await shop.build("cache", "building");
    await until(async () => {
      const now = (await shop.api<ComponentBuild>(`GET /v1/builds/${build.id}`)).body;
      return now.status_description === "its policies are evaluated";
    });
    await shop.api(
      `POST /v1/apps/${shop.appId}/components/${shop.idOf("cache")}/builds/${build.id}/cancel`,
    );
    expect(await shop.ended(build.id, "active", "cancelled", "error")).toMatchObject({
      status: "cancelled",
    });
  });
});
