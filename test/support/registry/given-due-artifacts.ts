import { beforeEach } from "vitest";
import { deleteArtifacts } from "../../../broker/retention/delete-artifacts.ts";
import { tidyBuilds } from "../../../broker/retention/tidy-builds.ts";
import type { RegistryAuth } from "../../../shared/registry-auths.ts";
import { startBroker } from "../broker/broker.ts";
import { digestOf } from "../builds/given-builder.ts";
import { givenKeptBuilds } from "../builds/given-kept-builds.ts";
import { testDatabase } from "../database/database.ts";
import { type ScriptedAnswer, type Seen, startScripted } from "./scripted-registry.ts";

const there = { status: 200, headers: { "docker-content-digest": digestOf("a") } };
const unknown = { status: 404, body: { errors: [{ code: "MANIFEST_UNKNOWN" }] } };
/** How a registry answers that has all, and deletes it. */
export const deletes = ({ method, path }: Seen): ScriptedAnswer => {
  if (method === "HEAD") return there;
  if (method === "DELETE") return { status: 202 };
  return path.includes("/referrers/") ? { status: 404 } : unknown;
};

/** A database, for a file, whose builds are deleted from a registry that answers as a test says. */
export async function givenDueArtifacts() {
  const { db, url } = await testDatabase();
  const { broker } = await startBroker({ url });
  const { signal } = new AbortController();
  const { host, seen, script } = await startScripted(deletes);

  beforeEach(async () => {
    await db`delete from artifact_deletions`;
    await db`delete from component_builds`;
    await db`delete from registry_refusals`;
    await db`delete from registry_login_refusals`;
    script.answer = deletes;
    seen.length = 0;
  });

  /** An org with so many builds to delete. */
  async function givenDue(count = 1) {
    const of = await givenKeptBuilds(db);
    const repository = of.repositoryOf(host);
    for (let n = 0; n <= count; n++) await of.build({ repository, digest: digestOf(String(n)) });
    await tidyBuilds(db, 1, { signal, batch: 100 });
    await db`update component_builds set expires_at = svc_now() where expires_at is not null`;
    await tidyBuilds(db, 1, { signal, batch: 100 });
    return { ...of, repository };
  }

  async function run(auth: RegistryAuth = "none", more: { timeoutMs?: number } = {}) {
    const registry = { server: host, prefix: "acme", isPlain: true, auth };
    const egress = { mode: "strict", opened: [] } as const;
    const { seals } = broker;
    return await deleteArtifacts({ db, seals, config: { registry, egress }, ...more }, signal);
  }
  const pass = async (): Promise<void> => {
    await db`update artifact_deletions set due_at = svc_now()`;
  };
  const faults = async () =>
    (await db<{ fault: string }[]>`select fault from artifact_deletions order by build_id`).map(
      ({ fault }) => fault,
    );
  const asked = (method: string) => seen.filter((one) => one.method === method);

  return { db, broker, host, seen, script, givenDue, run, pass, faults, asked };
}
