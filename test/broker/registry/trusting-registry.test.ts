import { expect, test } from "vitest";
import { pushArtifact } from "../../../agent/registry/push-artifact.ts";
import { hasBlob } from "../../../agent/registry/push-blob.ts";
import { makeRegistryClient } from "../../../agent/registry/registry-client.ts";
import { freePorts } from "../../support/network/free-ports.ts";
import { runTool } from "../../support/programs/run-tool.ts";
import { givenHeldBuild } from "../../support/registry/given-held-build.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";
import { startRegistry } from "../../support/sources/start-registry.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

describeWithTools(["registry", "crane"], "a registry v3 that trusts the broker", () => {
  test("lets a job push to its repository and nowhere else, until the job has ended", async () => {
    const [port = 0] = await freePorts(1);
    const env = { SVC_REGISTRY: `http://127.0.0.1:${port}/acme`, SVC_REGISTRY_AUTH: "token" };
    const { brokers, setup } = await givenWorkflowsApi({ env });
    const brokerUrl = brokers[0]?.url ?? "";
    const { host } = await startRegistry({ trusts: { port, brokerUrl } });
    const { repository, login: ofJob, end, org } = await givenHeldBuild(setup);
    const login = { ...ofJob, tokenServer: brokerUrl.replace("127.0.0.1", "localhost") };
    const stranger = await givenHeldBuild(setup);
    const artifact = {
      config: { mediaType: "application/vnd.oci.empty.v1+json", bytes: Buffer.from("{}") },
      layers: [],
    };
    const clientOf = (at: string, as: object) =>
      makeRegistryClient({ origin: `http://${host}`, repository: at }, as, { access: "push" });
    const pushed = await pushArtifact(clientOf(repository, login), artifact, "one");
    for (const at of [stranger.repository, "acme/other"])
      await expect(pushArtifact(clientOf(at, login), artifact, "one")).rejects.toThrow();
    await expect(pushArtifact(clientOf(repository, {}), artifact, "two")).rejects.toThrow();

    // A person reads it with the org's token, by another client.
    const folder = await testFolder();
    const signIn = ["auth", "login", host, "-u", "svc", "-p", org.token];
    const asPerson = { env: { DOCKER_CONFIG: folder } };
    await runTool("crane", signIn, asPerson);
    const digest = await runTool("crane", ["digest", `${host}/${repository}:one`], asPerson);
    expect(digest.trim()).toBe(pushed.digest);
    const others = ["digest", `${host}/${stranger.repository}:one`];
    await expect(runTool("crane", others, asPerson)).rejects.toThrow(/DENIED|UNAUTHORIZED/);

    await end();
    await expect(hasBlob(clientOf(repository, login), pushed.digest)).rejects.toThrow(
      /refused the credentials/,
    );
    await stranger.end();
  });
});
