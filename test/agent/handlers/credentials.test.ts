import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const role = { assume_role: { role_arn: "arn:aws:iam::1:role/x" } };

describe("a plan's credentials", () => {
  test("are files that only the agent's user reads, where tools look, gone after the job", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps(
      [
        {
          interpolated_command: `
            for name in AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE GOOGLE_APPLICATION_CREDENTIALS; do
              file=$(printenv $name)
              echo "$name=$(stat -c %a "$file") $file" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"
            done
            grep -q aws-secret-value-1 "$AWS_SHARED_CREDENTIALS_FILE"
            grep -q gcp-secret-value-2 "$GOOGLE_APPLICATION_CREDENTIALS"
            test "$ARM_CLIENT_SECRET" = azure-secret-value-3
            echo "profile=$AWS_PROFILE" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"`,
        },
      ],
      {
        aws_auth: {
          region: "us-east-1",
          static: { access_key_id: "AKIA1", secret_access_key: "aws-secret-value-1" },
        },
        gcp_auth: { service_account_key: { private_key: "gcp-secret-value-2" } },
        azure_auth: { client_id: "c", client_secret: "azure-secret-value-3" },
      },
    );
    expect(ended).toMatchObject({ status: "finished", outputs: { profile: "svc" } });
    for (const [name, told] of Object.entries(ended.outputs)) {
      if (!/^[A-Z]/.test(name)) continue;
      const [mode, file = ""] = String(told).split(" ");
      expect([mode, file.startsWith("/"), existsSync(file)]).toEqual(["600", true, false]);
    }
  });

  test("of a cluster bring variables that may pass, after the plan's own, and never over the agent's", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const env_vars = {
      CLUSTER: "one",
      KUBECONFIG: "/elsewhere",
      LD_PRELOAD: "/evil.so",
      NODE_OPTIONS: "--inspect",
      SVC_JOB_SOCKET: "/elsewhere",
      SVC_ATTEMPT: "9",
    };
    const interpolated_command = `
      echo "seen=$CLUSTER $SVC_ATTEMPT $(basename "$KUBECONFIG") $LD_PRELOAD$NODE_OPTIONS" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"
      test "$SVC_JOB_SOCKET" != /elsewhere`;
    const plan = { cluster_info: { kube_config: "{}", env_vars } };
    const ended = await runSteps([{ interpolated_command }], plan);
    expect(ended).toMatchObject({ status: "finished", outputs: { seen: "one 1 kubeconfig " } });
  });

  test("are the host's own kubeconfig where the plan means its cluster, and nowhere else", async () => {
    const file = path.join(await testFolder(), "host-kubeconfig");
    await writeFile(file, "{}");
    const { runSteps } = await givenRunnerWithAgent(fleet, {}, { KUBECONFIG: file });
    const steps = [
      { interpolated_command: 'echo "at=${KUBECONFIG-none}" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"' },
    ];
    const at = async (plan: object) => (await runSteps(steps, plan)).outputs["at"];
    expect(await at({ host_cluster: true })).toBe(file);
    expect(await at({})).toBe("none");
    const named = await at({ host_cluster: true, cluster_info: { kube_config: "{}" } });
    expect(named).toMatch(/\/kubeconfig$/);
  });

  test.each([
    [
      { aws_auth: { static: { access_key_id: "A", secret_access_key: 7 } } },
      "aws_auth.static.secret_access_key: ",
    ],
    [
      { aws_auth: { static: { access_key_id: "A" } } },
      "aws_auth.static.access_key_id is set without",
    ],
    [
      { aws_auth: { assume_role: { ...role.assume_role, session_name: 5 } } },
      "aws_auth.assume_role.session_name: ",
    ],
    [{ azure_auth: { use_msi: "yes" } }, "azure_auth.use_msi: "],
    [{ gcp_auth: { service_account_key: 3 } }, "gcp_auth.service_account_key: "],
    [{ cluster_info: { endpoint: "https://x", token: ["t"] } }, "cluster_info.token: "],
    [{ cluster_info: { token: "t" } }, "cluster_info.token is set without endpoint"],
  ])("of another shape than theirs run nothing: %j", async (plan, words) => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([{ interpolated_command: "true" }], plan);
    expect(ended.result?.error_metadata["reason"]).toBe("plan_invalid");
    expect(ended.description).toContain(words);
  });
});
