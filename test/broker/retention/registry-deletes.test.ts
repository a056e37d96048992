import { expect, test } from "vitest";
import { findDigest } from "../../../agent/registry/manifests.ts";
import { pushArtifact } from "../../../agent/registry/push-artifact.ts";
import { makeRegistryClient } from "../../../agent/registry/registry-client.ts";
import { deleteArtifacts } from "../../../broker/retention/delete-artifacts.ts";
import { findRefusal } from "../../../broker/retention/registry-refusals.ts";
import { tidyBuilds } from "../../../broker/retention/tidy-builds.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { givenKeptBuilds } from "../../support/builds/given-kept-builds.ts";
import { testDatabase } from "../../support/database/database.ts";
import { freePorts } from "../../support/network/free-ports.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { startRegistry } from "../../support/sources/start-registry.ts";

const { signal } = new AbortController();

async function setup(deletes: boolean) {
  const { db, url } = await testDatabase();
  const [port = 0] = await freePorts(1);
  const env = { SVC_REGISTRY: `http://127.0.0.1:${port}/acme`, SVC_REGISTRY_AUTH: "token" };
  const started = await startBroker({ url, env });
  const { host } = await startRegistry({ trusts: { port, brokerUrl: started.url }, deletes });
  const of = await givenKeptBuilds(db);
  const repository = of.repositoryOf(host);
  const tokenServer = started.url.replace("127.0.0.1", "localhost");
  const password = await givenToken(db, { orgId: of.orgId, role: "org_admin" });
  const place = { origin: `http://${host}`, repository: repository.slice(host.length + 1) };
  const login = { username: "svc", password, tokenServer };
  const client = makeRegistryClient(place, login, { access: "push" });
  /** A build whose artifact says this, with a statement about it. */
  async function build(says: string) {
    const config = { mediaType: "application/vnd.oci.empty.v1+json", bytes: Buffer.from("{}") };
    const artifact = { config, layers: [], annotations: { says } };
    const { digest, mediaType, size } = await pushArtifact(client, artifact);
    const id = await of.build({ repository, digest });
    await pushArtifact(client, artifact, id);
    const subject = { digest, mediaType, size };
    const about = { artifactType: "application/x.statement", config, layers: [], subject };
    const statement = await pushArtifact(client, about);
    return { id, digest, statement: statement.digest };
  }
  const isThere = async (reference: string) => (await findDigest(client, reference)) !== undefined;
  async function deleteOld() {
    await tidyBuilds(db, 1, { signal, batch: 100 });
    await db`update component_builds set expires_at = svc_now() where expires_at is not null`;
    await tidyBuilds(db, 1, { signal, batch: 100 });
    return await deleteArtifacts(started.broker, signal);
  }
  return { ...of, db, host, build, isThere, deleteOld };
}

describeWithTools(["registry"], "a registry v3 that trusts the broker", () => {
  test("deletes what nothing needs, with its tag, its statement and the list of these, and nothing else", async () => {
    const one = await setup(true);
    const same = await one.build("same");
    const old = await one.build("old");
    const last = await one.build("same");
    expect(await one.deleteOld()).toEqual({ deleted: 1, kept: 1 });
    expect(await one.fates()).toEqual({ [last.id]: "stays" });
    const gone = [old.id, old.digest, old.statement, old.digest.replace(":", "-")];
    for (const reference of gone)
      expect([reference, await one.isThere(reference)]).toEqual([reference, false]);
    for (const reference of [last.id, last.digest, last.statement, same.digest])
      expect([reference, await one.isThere(reference)]).toEqual([reference, true]);
    expect(await one.deleteOld()).toEqual({});
  });

  test("that was not told to delete is remembered, and what it has stays", async () => {
    const one = await setup(false);
    const old = await one.build("old");
    const last = await one.build("last");
    expect(await one.deleteOld()).toEqual({ unsupported: 1 });
    expect(await one.fates()).toEqual({ [old.id]: "deleting", [last.id]: "stays" });
    expect(await one.isThere(old.digest)).toBe(true);
    expect((await findRefusal(one.db, one.orgId, one.host))?.reason).toBe("unsupported");
  });
});
