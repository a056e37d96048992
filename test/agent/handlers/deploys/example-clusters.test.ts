import path from "node:path";
import { expect, test, vi } from "vitest";
import { clusterTools } from "../../../support/cluster/given-cluster.ts";
import { givenExampleNamespace } from "../../../support/cluster/given-example-namespace.ts";
import { givenVendor } from "../../../support/deploys/given-vendor.ts";
import { stepsOf } from "../../../support/deploys/steps-of.ts";
import { findsHelm } from "../../../support/helm/given-helm.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { tool } from "../../../tools/find-tool.ts";

describeWithTools([...clusterTools, "terraform", "kustomize"], "the example manifests", () => {
  test("is provisioned, repaired, switched, upgraded, rolled back and taken away", async () => {
    vi.stubEnv("PATH", [path.dirname(tool("kustomize")), process.env["PATH"]].join(":"));
    const { kubectl, server, ca, tokenFile } = await givenExampleNamespace("guestbook");
    const vendor = await givenVendor({ example: "manifests" });
    const { run, done, call } = vendor;
    const first = await vendor.sync();
    const { id, provisioned } = await vendor.install("acme", {
      cluster_server: server,
      cluster_ca: ca,
      token_file: tokenFile,
    });
    expect(stepsOf(provisioned)).toEqual([
      "sync and plan cluster: approved",
      "apply cluster: success",
      "sync and plan namespace: approved",
      "apply namespace: success",
      "sync and plan guestbook: approved",
      "apply guestbook: success",
    ]);
    await vendor.expectTold(provisioned);
    const namespace = [
      "get",
      "namespace",
      "guestbook",
      "-o",
      "jsonpath={.metadata.labels.install}",
    ];
    expect(await kubectl(namespace)).toBe(id);
    const text = async () =>
      await kubectl(["get", "configmap", "greeting", "-o", "jsonpath={.data.text}"]);
    const replicas = async () =>
      await kubectl(["get", "deployment", "guestbook", "-o", "jsonpath={.status.readyReplicas}"]);
    expect([await text(), await replicas()]).toEqual(["Welcome", "2"]);

    // The kustomization reads it itself.
    const changed = await call<{ workflow_id: string }>(`PATCH /v1/installs/${id}/inputs`, {
      inputs: { greeting: "Hello" },
    });
    expect(stepsOf(await vendor.approved(changed.workflow_id))).toEqual([
      "sync and plan guestbook: approved",
      "apply guestbook: success",
    ]);
    expect(await text()).toBe("Hello");

    // Somebody changes it by hand; a deploy puts it right.
    await kubectl(["patch", "configmap", "greeting", "--patch", '{"data":{"text":"Go away"}}']);
    await done("deploy acme guestbook --plan-only --no-wait -o json");
    expect(await run("deploy list acme guestbook")).toMatch(/ would change, plan only +1 changed /);
    expect(await text()).toBe("Go away");
    await done("deploy acme guestbook --no-wait -o json");
    expect(await text()).toBe("Hello");

    const objects = async () => {
      const names = await kubectl(["get", "deployment,configmap", "-o", "name"]);
      return names.split("\n").filter((name) => /greeting|guestbook/.test(name));
    };
    const all = ["deployment.apps/guestbook", "configmap/greeting"];
    await done("install toggle acme guestbook off --no-wait -o json");
    expect(await objects()).toEqual([]);
    await done("install toggle acme guestbook on --no-wait -o json");
    expect([await objects(), await text()]).toEqual([all, "Hello"]);

    // The next version is without it, and with the version before it comes back.
    await vendor.remove("components/guestbook.toml");
    await vendor.edit("components/namespace/namespace.yaml", (yaml) =>
      yaml.replace("labels:", "labels:\n    version: second"),
    );
    await vendor.sync();
    const upgraded = await done("install update-config acme");
    expect(stepsOf(upgraded)).toEqual([
      "plan teardown guestbook: approved",
      "teardown guestbook: success",
      "sync and plan namespace: approved",
      "apply namespace: success",
      "apply the config: success",
    ]);
    expect(await objects()).toEqual([]);
    const back = await done(`app update-installs manifests acme --config ${first} -o json`);
    expect(stepsOf(back)).toEqual([
      "sync and plan namespace: approved",
      "apply namespace: success",
      "sync and plan guestbook: approved",
      "apply guestbook: success",
      "apply the config: success",
    ]);
    expect([await objects(), await text()]).toEqual([all, "Hello"]);

    const gone = await done("install deprovision acme --yes");
    expect(stepsOf(gone)).toEqual([
      "plan teardown guestbook: approved",
      "teardown guestbook: success",
      "plan teardown namespace: approved",
      "teardown namespace: success",
      "plan teardown cluster: approved",
      "teardown cluster: success",
    ]);
    await vendor.expectTold(gone);
    // A namespace stays: more would be deleted with it.
    expect([await objects(), await kubectl(namespace)]).toEqual([[], id]);
  });
});

describeWithTools([...clusterTools, "terraform", "helm"], "the example helm-on-cluster", () => {
  test("is provisioned, upgraded, rolled back in part and as a whole, and taken away", async () => {
    findsHelm();
    const { kubectl, kubeconfig } = await givenExampleNamespace("notes");
    const env = { KUBECONFIG: kubeconfig };
    const vendor = await givenVendor({ example: "helm-on-cluster", env });
    const { done, call } = vendor;
    const first = await vendor.sync();
    const { id, provisioned } = await vendor.install("acme", {
      domain: "notes.example.com",
    });
    expect(stepsOf(provisioned)).toEqual([
      "provision sandbox plan: approved",
      "provision sandbox apply plan: success",
      "sync and plan notes: approved",
      "apply notes: success",
    ]);
    await vendor.expectTold(provisioned);
    const state = await call<State>(`GET /v1/installs/${id}/state`);
    expect(state.sandbox.outputs.nodes).toBe(2);
    expect(await kubectl(["get", "ingress", "notes", "-o", "jsonpath={.spec.rules[*].host}"])).toBe(
      "notes.example.com",
    );
    const replicas = async () =>
      await kubectl(["get", "deployment", "notes", "-o", "jsonpath={.spec.replicas}"]);
    const image = async () =>
      await kubectl([
        "get",
        "deployment",
        "notes",
        "-o",
        "jsonpath={.spec.template.spec.containers[0].image}",
      ]);
    const seen = async () => [await replicas(), await image()];
    const [old, now] = ["docker.io/library/nginx:1.29", "docker.io/library/nginx:1.30"];
    expect(await seen()).toEqual(["2", old]);

    // A newer chart, other values and a larger sandbox.
    await vendor.edit("chart/values.yaml", (text) => text.replace("1.29", "1.30"));
    await vendor.edit("components/values/notes.yaml", (text) => text.replace("2", "3"));
    await vendor.edit("sandbox.tfvars", (text) => text.replace("2", "4"));
    await vendor.sync();
    const upgraded = await done("install update-config acme");
    expect(stepsOf(upgraded)).toEqual([
      "reprovision sandbox plan: approved",
      "reprovision sandbox apply plan: success",
      "sync and plan notes: approved",
      "apply notes: success",
      "apply the config: success",
    ]);
    expect(await seen()).toEqual(["3", now]);

    // The component alone goes back, with the values of its config.
    await done("deploy acme notes --rollback --no-wait -o json");
    expect(await seen()).toEqual(["2", old]);

    // The whole upgrade goes back, the sandbox with it.
    const back = await done(`app update-installs helm-on-cluster acme --config ${first} -o json`);
    expect(back.status.status).toBe("success");
    expect(await seen()).toEqual(["2", old]);
    expect((await call<State>(`GET /v1/installs/${id}/state`)).sandbox.outputs.nodes).toBe(2);

    const gone = await done("install deprovision acme --yes");
    expect(stepsOf(gone)).toEqual([
      "plan teardown notes: approved",
      "teardown notes: success",
      "deprovision sandbox plan: approved",
      "deprovision sandbox apply plan: success",
    ]);
    await vendor.expectTold(gone);
    expect(await kubectl(["get", "deployment,service,ingress", "-o", "name"])).toBe("");
  });
});

type State = { readonly sandbox: { readonly outputs: { readonly nodes: number } } };
