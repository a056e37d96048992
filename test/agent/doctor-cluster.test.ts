import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../agent/config/read-config.ts";
import { checkCluster } from "../../agent/doctor/check-cluster.ts";
import type { DoctorContext } from "../../agent/doctor/finding.ts";
import { clusterTools } from "../support/cluster/given-cluster.ts";
import { givenAccount, givenNamespace } from "../support/cluster/given-namespace.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { testFolder } from "../support/run/folder.ts";

const secret = "kube-secret-token";

/** A user whose credentials come from a program. */
function plugin(script: string): object {
  const apiVersion = "client.authentication.k8s.io/v1";
  return { exec: { apiVersion, command: "sh", args: ["-c", script], interactiveMode: "Never" } };
}

test.each<[what: string, user: object, why: RegExp]>([
  ["nobody answers", { token: secret }, /cannot be reached \(ECONNREFUSED\)/],
  ["its token has two lines", { token: `${secret}\nline` }, /\(invalid kubeconfig or answer\)/],
  ["its plugin prints no document", plugin(`echo ${secret}`), /\(invalid kubeconfig or answer\)/],
  ["its plugin fails", plugin(`echo ${secret} >&2; exit 1`), /\(invalid kubeconfig or answer\)/],
])("a cluster that cannot be asked, for %s, is told without a secret", async (_, user, why) => {
  const KUBECONFIG = path.join(await testFolder(), "config");
  const kubeConfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "x",
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:20011" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    users: [{ name: "u", user }],
  };
  await writeFile(KUBECONFIG, JSON.stringify(kubeConfig));
  const env = { KUBECONFIG, PATH: process.env["PATH"] };
  const config = readConfig({ "broker-url": "http://127.0.0.1:20011" }, env);
  const found = await checkCluster({ config, patienceMs: 10_000 } as DoctorContext); // all it looks at
  expect(found).toMatchObject({ verdict: "failed", words: expect.stringMatching(why) as string });
  expect(JSON.stringify(found)).not.toContain(secret);
});

describeWithTools(clusterTools, "the rights that the doctor asks a cluster for", () => {
  test("are those that the jobs which this agent does need, and no others", async () => {
    const at = await givenNamespace();
    const verbs = ["create", "get", "list", "patch", "delete"];
    const { kubeconfig } = await givenAccount(at, [
      { verbs, resources: ["jobs"], apiGroups: ["batch"] },
      { verbs: ["list"], resources: ["pods", "events"] },
      { verbs: ["create"], resources: ["secrets"] },
    ]);
    const check = async (settings: object) => {
      const env = { KUBECONFIG: kubeconfig, PATH: process.env["PATH"] };
      const config = readConfig({ "broker-url": "http://127.0.0.1:20011", ...settings }, env);
      return await checkCluster({ config, patienceMs: 60_000 } as DoctorContext); // all it looks at
    };
    const own = await check({ "allow-types": "job-deploy" });
    expect(own.words).toMatch(/ denies: get pods\/log \(.*, namespace test-\w+\)/);
    const all = await check({});
    expect(all).toMatchObject({ verdict: "warning" });
    expect(all.words).toMatch(/create namespaces.*patch deployments.*get pods\/log/);
    expect((await check({ "allow-types": "noop" })).verdict).toBe("ok");
  });
});
