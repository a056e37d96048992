import { checksumOfPart } from "../../../broker/builds/checksum-of-part.ts";
import { newId } from "../../../broker/database/new-id.ts";
import type { Answer } from "../broker/broker.ts";
import { digestOf } from "../builds/given-builder.ts";
import type { TestDatabase } from "../database/database.ts";

type Org = {
  readonly db: TestDatabase["db"];
  readonly orgId: string;
  readonly appId: string;
  readonly api: <Body>(what: string, body?: unknown) => Promise<Answer<Body>>;
  readonly sync: (document: object) => Promise<Answer<{ readonly id: string }>>;
};

const repo = { repo: "https://git.example.com/shop.git", directory: "modules", branch: "main" };

/** A document of an app with a sandbox and these components, each of which reads the sandbox's output. */
export const builtDocument = (names: readonly string[], more: object = {}) => ({
  "metadata.toml": { name: "shop" },
  "sandbox.toml": { type: "terraform", public_repo: { ...repo, directory: "sandbox" } },
  components: Object.fromEntries(
    names.map((name) => [
      `${name}.toml`,
      {
        name,
        type: "terraform_module",
        vars: { net: "{{ .svc.sandbox.outputs.url }}" },
        public_repo: repo,
        ...more,
      },
    ]),
  ),
});

/** Such an app's config in force, as if all of it were built. */
export async function givenBuiltConfig(
  org: Org,
  names: readonly string[],
  more: object = {},
): Promise<string> {
  const synced = await org.sync(builtDocument(names, more));
  if (synced.status !== 201) throw new Error(JSON.stringify(synced.body));
  const configId = synced.body.id;
  await givenBuildsOf(org, configId);
  return configId;
}

/** An active build of each part of a config. */
export async function givenBuildsOf(
  { db, orgId, appId }: Pick<Org, "db" | "orgId" | "appId">,
  configId: string,
): Promise<void> {
  const [config] = await db<{ document: string }[]>`
    select c.document from app_configs c where c.org_id = ${orgId} and c.id = ${configId}`;
  const { sandbox, components = [] } = JSON.parse(config?.document ?? "{}") as {
    readonly sandbox?: never;
    readonly components?: readonly { readonly name: string; readonly type: string }[];
  };
  const parts = await db<{ id: string; component_id: string; name: string }[]>`
    select c.id, c.component_id, c.name from component_configs c where c.org_id = ${orgId} and c.app_config_id = ${configId}`;
  const rows = components.map((component) => {
    const part = parts.find(({ name }) => name === component.name);
    return {
      id: newId("bld"),
      component_id: part?.component_id ?? null,
      component_config_id: part?.id ?? null,
      component_name: component.name,
      component_type: component.type,
      checksum: checksumOfPart(component as never),
    };
  });
  const ofSandbox = {
    id: newId("sbd"),
    component_id: null,
    component_config_id: null,
    component_name: "sandbox",
    component_type: "terraform_module",
    checksum: checksumOfPart(sandbox),
  };
  for (const row of sandbox === undefined ? rows : [...rows, ofSandbox]) {
    const artifact = {
      digest: digestOf("a"),
      repository: `127.0.0.1:9/acme/${orgId}/shop`,
      tag: row.id,
    };
    await db`
      insert into component_builds (id, org_id, app_id, component_id, component_config_id, app_config_id, component_name, component_type,
                                    workflow_id, status, status_at, checksum, artifact, created_at, started_at, finished_at)
      values (${row.id}, ${orgId}, ${appId}, ${row.component_id}, ${row.component_config_id}, ${configId}, ${row.component_name},
              ${row.component_type}, ${newId("wfl")}, 'active', svc_now(), ${row.checksum}, ${db.json(artifact)}, svc_now(), svc_now(),
              svc_now())`;
  }
}
