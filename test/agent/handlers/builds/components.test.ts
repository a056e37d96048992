import { expect, test } from "vitest";
import type { ComponentBuild } from "../../../../shared/api/builds.ts";
import { givenRunnerWithAgent } from "../../../support/agent/given-jobs.ts";
import { givenFleet } from "../../../support/broker/given-fleet.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { configMap } from "../../../support/manifests/given-manifests.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { givenRepository } from "../../../support/sources/given-repository.ts";
import { startRegistry } from "../../../support/sources/start-registry.ts";

describeWithTools(["registry", "terraform", "buildah"], "builds of an app's components", () => {
  test("are made by the agent of the org's runner, and a repository of a digest is in the registry", async () => {
    const registry = await startRegistry();
    const fleet = await givenFleet({ SVC_REGISTRY: `http://${registry.host}/acme` });
    const runner = await givenRunnerWithAgent(fleet, { "allow-file-sources": "yes" });
    await fleet.db`
      update runner_groups set type = 'org', owner_type = 'org' where id = ${runner.groupId}`;
    const call = async <Body>(what: string, body?: object): Promise<Body> => {
      const given = { token: runner.operatorToken, ...(body && { body }) };
      return (await fleet.broker.call<Body>(what, given)).body;
    };
    const repository = await givenRepository();
    await repository.commit("net/main.tf", 'output "name" {\n  value = "net"\n}\n');
    await repository.commit("img/Dockerfile", "ARG NAME\nFROM scratch\nARG NAME\nCOPY . /$NAME\n");
    const commit = await repository.commit("README.md", "Nothing that is built.");
    const app = await call<{ id: string }>("POST /v1/apps", { name: "shop" });
    await call(`POST /v1/apps/${app.id}/configs/sync`, {
      "metadata.toml": { name: "shop" },
      components: {
        "net.toml": {
          name: "net",
          type: "terraform_module",
          public_repo: { repo: `file://${repository.folder}`, directory: "net", branch: "main" },
        },
        "img.toml": {
          name: "img",
          type: "docker_build",
          dockerfile: "Dockerfile",
          build_args: { NAME: "{{ .svc.app.name }}" },
          public_repo: { repo: `file://${repository.folder}`, directory: "img", branch: "main" },
        },
        "web.toml": {
          name: "web",
          type: "kubernetes_manifest",
          manifest: configMap("web", { host: "{{ .svc.inputs.inputs.host }}" }),
        },
        "task.toml": { name: "task", type: "job", image_url: "ghcr.io/acme/task", tag: "1" },
      },
      "inputs.toml": { input: [{ name: "host", default: "a" }] },
    });
    const builds = await call<ComponentBuild[]>(`POST /v1/apps/${app.id}/components/build-all`, {});
    const ended: ComponentBuild[] = [];
    for (const { id } of builds) {
      await until(async () => {
        const seen = await call<ComponentBuild>(`GET /v1/builds/${id}`);
        if (["active", "error"].includes(seen.status)) ended.push(seen);
        return ended.at(-1)?.id === id;
      });
    }
    const [img, net, task, web] = ended.toSorted((a, b) =>
      a.component_name < b.component_name ? -1 : 1,
    );
    expect([img, net, web]).toMatchObject([
      { status: "active", source_ref: commit },
      { status: "active", source_ref: commit },
      { status: "active" },
    ]);
    expect(task).toMatchObject({ status: "active", status_description: "" });
    for (const { artifact } of [img, net, web] as ComponentBuild[]) {
      const [host = "", ...name] = artifact?.repository.split("/") ?? [];
      const at = `http://${host}/v2/${name.join("/")}/manifests`;
      const accept = { accept: "application/vnd.oci.image.manifest.v1+json" };
      const pulled = await fetch(`${at}/${artifact?.digest ?? ""}`, { headers: accept });
      expect([pulled.status, pulled.headers.get("docker-content-digest")]).toEqual([
        200,
        artifact?.digest,
      ]);
      expect((await fetch(`${at}/${artifact?.tag ?? ""}`, { headers: accept })).status).toBe(200);
    }
  });
});
