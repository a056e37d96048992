import { beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const simulated = { sandbox_mode: { enabled: true } };
const plan = (members: object = {}): string => JSON.stringify({ ...simulated, ...members });
const workspace = (id: string) => ({ terraform: { terraform_backend: { WorkspaceID: id } } });

type Rule = readonly [settings: Readonly<Record<string, string>>, setting: string];

describe("a job that a setting of the agent forbids fails, and says which", () => {
  test.each<[string, Rule, readonly object[], readonly object[]]>([
    [
      "by its type",
      [{ "deny-types": "actions-workflow, noop-deploy" }, "deny-types"],
      [{ type: "noop-deploy" }, { type: "actions-workflow", plan: plan() }],
      [{ type: "noop-build" }, { type: "health-check" }],
    ],
    [
      "as none of its types",
      [{ "allow-types": "noop-deploy" }, "allow-types"],
      [{ type: "noop-build" }, { type: "terraform-deploy", plan: plan() }],
      [{ type: "noop-deploy" }, { type: "health-check" }],
    ],
    [
      "by what it would do",
      [{ "read-only": "yes" }, "read-only"],
      [
        { type: "terraform-deploy", operation: "apply-plan", plan: plan() },
        { type: "terraform-deploy", operation: "exec", plan: plan() },
        { type: "actions-workflow", plan: plan() },
        { type: "sandbox-sync-secrets", operation: "exec", plan: plan() },
        // Only a word of whoever enqueues it, where the type does not heed it.
        { type: "actions-workflow", operation: "create-apply-plan", plan: plan() },
        {
          type: "terraform-deploy",
          operation: "create-apply-plan",
          plan: plan({ terraform: { hooks: { pre_plan: "true" } } }),
        },
        {
          type: "sandbox-terraform",
          operation: "create-apply-plan",
          plan: plan({ hooks: { post_plan: "true" } }),
        },
      ],
      [
        { type: "terraform-deploy", operation: "create-apply-plan", plan: plan() },
        { type: "helm-chart-deploy", operation: "create-teardown-plan", plan: plan() },
        { type: "sandbox-sync-secrets", operation: "create-apply-plan", plan: plan() },
        { type: "health-check" },
      ],
    ],
    [
      "by its workspace",
      [{ "allow-workspaces": "tfw_1,tfw_2" }, "allow-workspaces"],
      [{ type: "terraform-deploy", plan: plan(workspace("tfw_3")) }],
      [{ type: "terraform-deploy", plan: plan(workspace("tfw_2")) }, { type: "noop-deploy" }],
    ],
  ])("%s", async (_, [settings, setting], refused, done) => {
    const { run } = await givenRunnerWithAgent(fleet, settings);
    for (const job of refused) {
      const ended = await run(job);
      expect({ job, ...ended }).toMatchObject({
        status: "failed",
        result: { error_metadata: { reason: "refused", class: "policy", setting } },
      });
      expect(ended.description).toContain(`(setting ${setting} of this agent)`);
    }
    for (const job of done) {
      expect({ job, ...(await run(job)) }).toMatchObject({ status: "finished" });
    }
  });
});

describe("a rule that makes no sense is refused at the start", () => {
  test.each([
    [{ "deny-types": "terraform-deplo" }, "did you mean terraform-deploy?"],
    [{ "allow-types": "everything" }, 'has an unknown job type "everything"'],
    [{ "allow-workspaces": "tfw 1" }, "must be a comma-separated list of workspace ids"],
    [{ "read-only": "maybe" }, "must be one of yes, no"],
  ])("%j", (settings, words) => {
    expect(() => readConfig(settings as Record<string, string>, {})).toThrow(words);
  });
});
