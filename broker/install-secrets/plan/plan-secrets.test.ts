import { describe, expect, test } from "vitest";
import { readSecretsRun } from "../../../agent/handlers/secrets/secrets-run.ts";
import type { JobInfo } from "../../../agent/jobs/handler.ts";
import { RenderWork } from "../../../shared/app-config/templates/render-work.ts";
import { deployedFacts } from "../../../test/support/deploys/planned-deploy.ts";
import type { KnownSecret, SecretPlaceMembers } from "../../installs/state-base.ts";
import { chooseSecrets, type SecretConfigPart } from "./choose-secrets.ts";
import { planSecrets } from "./plan-secrets.ts";

const arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:license-AbCdEf";
const google = "projects/acme-1/secrets/token";
const vault = "https://acme.vault.azure.net/secrets/db";
const nowhere = { arn: "", gcp_secret_name: "", azure_key_vault_secret_id: "" };
const placed = (name: string, place: Partial<SecretPlaceMembers>): KnownSecret => ({
  name,
  place: { ...nowhere, ...place },
});
const copied = (name: string, more: Partial<SecretConfigPart> = {}): SecretConfigPart => ({
  name,
  kubernetes_sync: true,
  kubernetes_secret_name: name,
  kubernetes_secret_namespace: "shop",
  ...more,
});
const eks = { name: "eks", endpoint: "https://eks.test", certificate_authority_data: "Q0E=" };
const aws = { cloud_platform: "aws", cloud_account: { region: "eu-west-1" } } as const;

type Given = Parameters<typeof deployedFacts>[0] & {
  readonly secrets: readonly SecretConfigPart[];
  readonly known: readonly KnownSecret[];
};

/** What comes of planning a sync of such secrets. */
function planned({ secrets, known, ...given }: Given) {
  const { facts, values } = deployedFacts(given);
  const whole = { ...facts, secrets: known };
  const chosen = chooseSecrets(whole, secrets);
  if ("code" in chosen) return chosen;
  return planSecrets({ facts: whole, chosen }, values, new RenderWork());
}

function plansOf(given: Given): readonly [Record<string, unknown>, Record<string, unknown>] {
  const plan = planned(given);
  if ("code" in plan) throw new Error(plan.detail);
  return [JSON.parse(plan.text), JSON.parse(plan.shown)] as never; // objects, as they were written
}

const runOf = (plan: Record<string, unknown>) =>
  readSecretsRun(plan, { id: "job_a", operation: "exec" } as JobInfo);

describe("the plan of a sync of secrets", () => {
  test("names where each is and where it is copied to, who reads it, and the cluster", () => {
    const targets = [
      { name: "shared", key: "{{ .svc.install.name }}.key", namespaces: ["a", "b"] },
    ];
    const [plan, shown] = plansOf({
      install: aws,
      sandbox: { cluster: { ...eks, token: "t0ken" } },
      secrets: [
        copied("license", { format: "base64", required: true, default: "hunter2" }),
        copied("token", { kubernetes_sync_targets: targets }),
        copied("db", { auto_generate: true }),
        copied("unknown"),
        { name: "plain" },
      ],
      known: [
        placed("license", { arn }),
        placed("token", { gcp_secret_name: google }),
        placed("db", { azure_key_vault_secret_id: vault }),
        { name: "unknown" },
        placed("plain", { arn }),
      ],
    });
    const { secrets: _, ...told } = plan;
    expect(told).toEqual({
      kubernetes_secrets: [
        {
          secret_name: "license",
          secret_arn: arn,
          format: "base64",
          namespace: "shop",
          name: "license",
          required: true,
        },
        {
          secret_name: "token",
          gcp_secret_name: google,
          targets: [{ name: "shared", key: "a.key", namespaces: ["a", "b"] }],
        },
        {
          secret_name: "db",
          azure_key_vault_secret_id: vault,
          namespace: "shop",
          name: "db",
          auto_generate: true,
        },
      ],
      cluster_info: { id: "eks", endpoint: "https://eks.test", ca_data: "Q0E=", token: "t0ken" },
      aws_auth: { use_default: true, region: "eu-central-1" },
      gcp_auth: { project_id: "acme-1" },
      azure_auth: { use_default: true },
    });
    expect(shown["cluster_info"]).toMatchObject({ id: "eks", token: "(secret)" });
    expect(JSON.stringify([plan, shown])).not.toContain("hunter2");
    expect(runOf(plan).secrets.map(({ name }) => name)).toEqual(["license", "token", "db"]);
  });

  test("has the runner sign in to a cluster by the install's cloud, whatever cloud a secret is in", () => {
    const [plan] = plansOf({
      install: aws,
      sandbox: { cluster: eks },
      secrets: [copied("token")],
      known: [placed("token", { gcp_secret_name: google })],
    });
    expect(plan).toMatchObject({
      cluster_info: {
        cloud: "aws",
        region: "eu-west-1",
        aws_auth: { use_default: true, region: "eu-west-1" },
      },
      gcp_auth: { project_id: "acme-1" },
    });
    expect(plan).not.toHaveProperty("aws_auth");
    expect(runOf(plan).credentials).toHaveProperty("aws_auth");
  });

  test("means the runner's own cluster in an install of no cloud, and none where nothing is copied", () => {
    const known = [placed("license", { arn })];
    const [own] = plansOf({ secrets: [copied("license")], known });
    expect(own).toMatchObject({ host_cluster: true });
    expect(own).not.toHaveProperty("cluster_info");
    expect(runOf(own).credentials).toBeDefined();
    const made = [{ name: "license", auto_generate: true }];
    const [none] = plansOf({ install: aws, secrets: made, known });
    expect(none).toMatchObject({
      kubernetes_secrets: [{ secret_name: "license", secret_arn: arn, auto_generate: true }],
    });
    expect(none).not.toHaveProperty("host_cluster");
    expect(runOf(none)).toMatchObject({ credentials: undefined, secrets: [{ targets: [] }] });
  });

  test("is none without the cluster of a cloud, or the place of a secret that is required", () => {
    const known = [placed("license", { arn })];
    expect(planned({ install: aws, secrets: [copied("license")], known })).toMatchObject({
      code: "cluster_missing",
      detail: expect.stringContaining("no output `cluster`") as string,
    });
    const secrets = [copied("license", { required: true }), copied("token", { required: true })];
    expect(planned({ install: aws, secrets, known: [{ name: "license" }] })).toMatchObject({
      code: "missing_value",
      detail: [
        "secrets.toml: the secret license is required, and nobody has said where it is: svc install secret set ins_a license --arn ARN",
        "secrets.toml: the secret token is required, and nobody has said where it is: svc install secret set ins_a token --arn ARN",
      ].join("\n"),
    });
    const text = "{{ .svc.labels.gone }}";
    const other = { secrets: [copied("license", { kubernetes_secret_name: text })], known };
    expect(planned(other)).toMatchObject({
      code: "missing_value",
      detail: expect.stringContaining(
        "secrets.toml, secret.license.kubernetes_secret_name: ",
      ) as string,
    });
  });
});
