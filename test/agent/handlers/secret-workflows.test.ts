import { expect, test } from "vitest";
import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { secretWord } from "../../support/agent/secret-word.ts";
import { callAs } from "../../support/broker/call-as.ts";
import { givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenNamespace } from "../../support/cluster/given-namespace.ts";
import { startMoto } from "../../support/programs/start-moto.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { askSecretsManager, givenAwsSecret } from "../../support/secrets/aws-secrets.ts";
import { keysIn } from "../../support/secrets/secret-plans.ts";
import { stepsOf } from "../../support/workflows/workflows-api.ts";

type State = { readonly secrets: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

describeWithTools([...clusterTools, "moto_server"], "secrets of an install of no cloud", () => {
  test("are copied into the runner's own cluster, or made in their store, and their state has no value", async () => {
    const [fleet, moto, at] = await Promise.all([
      givenFleet(),
      startMoto(undefined, true),
      givenNamespace(),
    ]);
    const env = { ...moto.env, KUBECONFIG: at.kubeconfig };
    const runner = await givenRunnerWithAgent(fleet, {}, env);
    const { operatorToken: token } = runner;
    const call = callAs(fleet.broker, token);
    const ended = async (id: string): Promise<WholeWorkflow> => {
      const read = () => call<WholeWorkflow>(`GET /v1/workflows/${id}`);
      const over = ["success", "error", "failed-pending-retry"];
      await until(async () => over.includes((await read()).status.status));
      return await read();
    };
    const word = secretWord().plain;
    const [license, seed] = [
      await givenAwsSecret(moto, `${at.name}/license`, word),
      await givenAwsSecret(moto, `${at.name}/seed`),
    ];
    const app = await call<{ id: string }>("POST /v1/apps", { name: "shop" });
    await call(`POST /v1/apps/${app.id}/configs/sync`, {
      "metadata.toml": { name: "shop" },
      "secrets.toml": {
        secret: [
          {
            name: "license",
            required: true,
            kubernetes_sync: true,
            kubernetes_secret_name: "{{ .svc.install.name }}-license",
            kubernetes_secret_namespace: at.name,
          },
          { name: "seed", auto_generate: true },
        ],
      },
    });
    const install = await call<{ id: string }>(`POST /v1/apps/${app.id}/installs`, {
      name: "acme",
      runner_group_id: runner.groupId,
      start: false,
    });
    const path = `/v1/installs/${install.id}`;
    await call(`PUT ${path}/secrets/license`, { arn: license });
    await call(`PUT ${path}/secrets/seed`, { arn: seed });
    const begun = await call<{ workflow_id: string }>(`POST ${path}/reprovision`, {});
    const provisioned = await ended(begun.workflow_id);
    expect(stepsOf(provisioned).at(-1)).toBe("sync secrets: success");
    expect(await keysIn(at, "acme-license")).toEqual({ value: word });
    const made = await askSecretsManager(moto, "GetSecretValue", { SecretId: seed });
    expect(made["SecretString"]).toMatch(/^\w{44}$/);
    const state = await call<State>(`GET ${path}/state`);
    expect(state.secrets).toMatchObject({
      license: {
        arn: license,
        kubernetes_namespace: at.name,
        kubernetes_name: "acme-license",
        kubernetes_key: "value",
        length: Buffer.byteLength(word),
        exists: true,
      },
      seed: { arn: seed, kubernetes_name: "", length: 44, exists: true },
    });
    const told = JSON.stringify([provisioned, state]);
    expect(told).not.toContain(word);
    expect(told).not.toContain(String(made["SecretString"]));

    // A value that is another one in its store is copied by the next sync, and not by a look.
    const next = secretWord().plain;
    await askSecretsManager(moto, "PutSecretValue", { SecretId: license, SecretString: next });
    const sync = async (body: object): Promise<string> => {
      const { workflow_id: id } = await call<{ workflow_id: string }>(
        `POST ${path}/sync-secrets`,
        body,
      );
      return (await ended(id)).status.status;
    };
    expect(await sync({ plan_only: true })).toBe("success");
    expect(await keysIn(at, "acme-license")).toEqual({ value: word });
    expect(await sync({})).toBe("success");
    expect(await keysIn(at, "acme-license")).toEqual({ value: next });
  });
});
