import { describe, expect, test } from "vitest";
import {
  componentIn,
  exampleConfig,
  plannedDeploy,
  readPlan,
} from "../../../test/support/deploys/planned-deploy.ts";
import type { ComponentConfigPart } from "../deploy-order.ts";

const digest = `sha256:${"a".repeat(64)}`;
const registry = {
  registryType: "private_oci",
  loginServer: "registry.test:5000",
  repository: "org_a/app_a/cmp_a",
};
const ids = { install_id: "ins_a", app_id: "app_a", app_config_id: "acf_a" };
const ofComponent = (name: string) => ({
  ...ids,
  component_id: "cmp_a",
  component_name: name,
  src_registry: registry,
  src_tag: "bld_a",
  src_digest: digest,
});
const cluster = {
  name: "eks",
  endpoint: "https://eks.test",
  certificate_authority_data: "Q0E=",
  token: "t0ken",
};
const cluster_info = { id: "eks", endpoint: "https://eks.test", ca_data: "Q0E=", token: "t0ken" };

describe("the plan of a deploy", () => {
  test("of terraform has variables with the types that they have in JSON", async () => {
    const config = await exampleConfig("terraform-database");
    const planned = plannedDeploy(componentIn(config, "database"), {
      inputNames: ["secret", "instance_class", "folder"],
      inputs: { instance_class: "db.t4g.medium", folder: "/srv" },
      components: { network: { private_subnets: ["a", "b"] } },
    });
    const { plan, type, names, timeoutNs } = readPlan(planned);
    expect({ type, names, timeoutNs }).toEqual({
      type: "terraform-deploy",
      names: ["tfw_a", "acf_a"],
      timeoutNs: 0,
    });
    expect(plan).toEqual({
      ...ofComponent("database"),
      terraform: {
        vars: { folder: "/srv", subnets: ["a", "b"], instance_class: "db.t4g.medium" },
        terraform_backend: { workspaceID: "tfw_a" },
      },
    });
  });

  test("of terraform has its files and environment, and the cluster of the sandbox where there is one", () => {
    const component: ComponentConfigPart = {
      type: "terraform_module",
      name: "db",
      deploy_timeout: 60e9,
      vars: { count: 2, open: true, tags: { of: "{{ .svc.install.id }}" }, none: null },
      var_file: [{ contents: 'name = "{{ .svc.name }}"' }],
      env_vars: { SIZE: "{{ 3 }}", ID: "{{ .svc.id }}", LEN: "{{ len .svc.id }}" },
      terraform_version: "1.11.3",
    };
    const { plan, timeoutNs } = readPlan(plannedDeploy(component, { sandbox: { cluster } }));
    expect(timeoutNs).toBe(60e9);
    expect(plan["terraform"]).toEqual({
      vars: { count: 2, open: true, tags: { of: "ins_a" }, none: null },
      vars_files: ['name = "a"'],
      env_vars: { SIZE: "{{ 3 }}", ID: "ins_a", LEN: "5" },
      terraform_backend: { workspaceID: "tfw_a" },
      terraform_version: "1.11.3",
      cluster_info,
    });
  });

  test("of a chart has its release, values and files", async () => {
    const config = await exampleConfig("helm-on-cluster");
    const planned = plannedDeploy(componentIn(config, "notes"), {
      inputNames: ["secret", "domain"],
      inputs: { domain: "acme.test" },
      sandbox: { cluster },
    });
    const { plan, type, names } = readPlan(planned);
    expect([type, names]).toEqual(["helm-chart-deploy", ["hch_a", "acf_a"]]);
    expect(plan).toEqual({
      ...ofComponent("notes"),
      helm: {
        cluster_info,
        name: "notes",
        namespace: "notes",
        create_namespace: true,
        helm_chart_id: "hch_a",
        storage_driver: "configmap",
        values_files: [expect.stringContaining("acme.test")],
        force_conflicts: true,
      },
    });
  });

  test("of manifests leaves their text to the artifact, unless it has templates", async () => {
    const config = await exampleConfig("everything");
    const reports = componentIn(config, "reports");
    const images = { api_image: "2.0.0" };
    const given = { images, inputNames: ["secret", "domain"], inputs: { domain: "a.test" } };
    const { plan, type } = readPlan(plannedDeploy(reports, given));
    expect(type).toBe("kubernetes-manifest-deploy");
    expect(plan).toEqual({
      ...ofComponent("reports"),
      kubernetes_manifest: { namespace: "everything", force_conflicts: true },
    });
    const manifest =
      "kind: ConfigMap\ndata:\n  image: {{ .svc.components.api_image.image.digest }}\n";
    const { plan: other } = readPlan(plannedDeploy({ ...reports, manifest } as never, given));
    expect(other["kubernetes_manifest"]).toEqual({
      namespace: "everything",
      manifest: `kind: ConfigMap\ndata:\n  image: ${digest}\n`,
      force_conflicts: true,
    });
  });

  test("of a kustomization goes into the cluster of its context's component", async () => {
    const config = await exampleConfig("manifests");
    const given = {
      config,
      components: { cluster: { host: "10.0.0.1", kube_config: "kind: Config" } },
    };
    const { plan, shown } = readPlan(plannedDeploy(componentIn(config, "guestbook"), given));
    const known = { endpoint: "https://10.0.0.1", kube_config: "kind: Config" };
    expect(plan).toEqual({
      ...ofComponent("guestbook"),
      kubernetes_manifest: {
        namespace: "guestbook",
        cluster_info: known,
        force_conflicts: true,
      },
    });
    expect(shown["kubernetes_manifest"]).toMatchObject({
      cluster_info: { kube_config: "(secret)" },
    });
  });

  test("of Pulumi has its stack, and says whether it destroys", () => {
    const component: ComponentConfigPart = {
      type: "pulumi",
      name: "bucket",
      runtime: "nodejs",
      pulumi_version: "3.190.0",
      config: { "aws:region": "{{ .svc.labels.region }}", size: "{{ len .svc.id }}" },
      env_vars: { A: "b" },
    };
    const given = { install: { labels: { region: "eu-west-1" } } };
    const pulumi = {
      runtime: "nodejs",
      stack_name: "ins_a",
      workspace_id: "tfw_a",
      config: { "aws:region": "eu-west-1", size: "5" },
      pulumi_version: "3.190.0",
      update_plans: true,
      env_vars: { A: "b" },
    };
    const { plan, type, names } = readPlan(plannedDeploy(component, given));
    expect([type, names]).toEqual(["pulumi-deploy", ["tfw_a", "acf_a"]]);
    expect(plan).toEqual({ ...ofComponent("bucket"), pulumi });
    const teardown = readPlan(plannedDeploy(component, given, { operation: "teardown" }));
    expect(teardown.plan["pulumi"]).toEqual({ ...pulumi, destroy: true });
  });

  test("of a job has its image, and no artifact", async () => {
    const config = await exampleConfig("private-images");
    const seed = componentIn(config, "seed");
    const { plan, type } = readPlan(plannedDeploy(seed, { images: { api: "1.4.0" } }));
    expect(type).toBe("job-deploy");
    expect(plan).toEqual({
      ...ids,
      component_id: "cmp_a",
      component_name: "seed",
      job: { name: "seed", image_url: "registry.test/api", tag: "1.4.0", cmd: ["/bin/seed"] },
    });
  });

  test("of a job has a name that a Job may have", () => {
    const job: ComponentConfigPart = {
      type: "job",
      name: `load_${"x".repeat(30)}-_y`,
      image_url: "alpine",
      args: ["{{ .svc.id }}"],
      env_vars: { A: "{{ .svc.labels }}" },
    };
    const { plan } = readPlan(plannedDeploy(job));
    expect(plan["job"]).toEqual({
      name: `load-${"x".repeat(30)}`,
      image_url: "alpine",
      args: ["ins_a"],
      env_vars: { A: "{}" },
    });
  });

  test("of an image there is none", () => {
    const image: ComponentConfigPart = { type: "docker_build", name: "web" };
    expect(() => plannedDeploy(image)).toThrow("docker_build has no plan");
  });

  test("of an install that is simulated says so, and asks for no cluster", () => {
    const chart: ComponentConfigPart = { type: "helm_chart", name: "web", chart_name: "web" };
    const install = { sandbox_mode: true, cloud_platform: "aws" } as const;
    const { plan } = readPlan(plannedDeploy(chart, { install }));
    expect(plan).toMatchObject({ sandbox_mode: { enabled: true }, helm: { name: "web" } });
  });
});
