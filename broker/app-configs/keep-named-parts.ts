import type { ShownPart } from "../../shared/api/named-parts.ts";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { nameKey } from "../../shared/app-config/rules/rule.ts";
import { problem } from "../../shared/problem.ts";
import { requireApp } from "../apps/keep-apps.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import { requireFreeName } from "../names/require-free-name.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { type Members, membersOf, mostOfConfig, partText, requireAdded } from "./config-part.ts";
import {
  insertNamedPart,
  listNamedParts,
  nameAppPart,
  type NamedKind,
  type NamedRow,
} from "./named-part-queries.ts";
import { readDocument } from "./show-configs.ts";

/** What there is by name: how it is told of, the type of its file, and how its ids begin. */
const kinds = {
  actions: { one: "action", type: "action", prefix: "act" },
  components: { one: "component", type: "component", prefix: "cmp" },
  runbooks: { one: "runbook", type: "runbook", prefix: "rbk" },
} as const satisfies Record<NamedKind, object>;

const mostOfApp = 1000;

type By = Pick<Actor, "id" | "orgId">;
type Of = { readonly app: string; readonly kind: NamedKind };
/** What was added, and to which config as which file. */
export type AddedPart = {
  readonly id: string;
  readonly app_id: string;
  readonly name: string;
  readonly app_config_id: string | null;
  readonly file: string | null;
};

/** Names something in an app, or finds it by its name; with a config, its part of that is added or replaced. */
export async function addNamedPart(
  db: Db,
  actor: By,
  { app, kind }: Of,
  body: Members & { readonly name: string; readonly app_config_id?: string | undefined },
): Promise<{ readonly part: AddedPart; readonly isNew: boolean }> {
  const { app_config_id: config, ...given } = body;
  if (config !== undefined) {
    const contents = membersOf(kinds[kind].type, given);
    const adding = { app, kind, config, name: body.name, contents, merges: false };
    return { part: await addPart(db, actor, adding), isNew: true };
  }
  requireNoMore(given);
  const naming = { kind: kinds[kind].type, name: body.name, there: { app_id: app } } as const;
  await requireFreeName(db, actor.orgId, naming);
  const draft = { id: newId(kinds[kind].prefix), name: body.name, created_by_id: actor.id };
  const named = await nameAppPart(db, actor.orgId, app, { kind, draft, most: mostOfApp });
  if (named?.outcome === "not-found") throw problem.notFound("app");
  if (named?.outcome === "full") throw tooMany(kind);
  const id = named?.id ?? draft.id;
  const part = { id, app_id: app, name: body.name, app_config_id: null, file: null };
  return { part, isNew: named?.outcome === "created" };
}

/** Adds the config of something that has a name to a config in parts; what that has of it stays, where this says nothing of it. */
export async function addConfigOf(
  db: Db,
  actor: By,
  { app, kind, id, type }: Of & { readonly id: string; readonly type: string },
  body: Members & { readonly app_config_id: string },
): Promise<AddedPart> {
  const { name } = await requireNamed(db, actor.orgId, { app, kind, id });
  const { app_config_id: config, ...given } = body;
  const own = kind === "components" ? { name, type } : { name };
  const contents = { ...own, ...membersOf(type, given) };
  return await addPart(db, actor, { app, kind, config, name, contents, merges: true });
}

type Adding = Of & {
  readonly config: string;
  readonly name: string;
  readonly contents: Members;
  readonly merges: boolean;
};

async function addPart(
  db: Db,
  { id: actorId, orgId }: By,
  { app, kind, config, name, contents, merges }: Adding,
): Promise<AddedPart> {
  const draft = { id: newId(kinds[kind].prefix), name, created_by_id: actorId };
  const file = `${kind}/${name}.toml`;
  const part = { file, value: partText(contents), kind, draft, merges, by_id: actorId };
  const most = { ...mostOfConfig, named: mostOfApp };
  const added = await insertNamedPart(db, orgId, { app, id: config }, { part, most });
  if (added?.outcome === "full") throw tooMany(kind);
  requireAdded(added?.outcome);
  return { id: added?.id ?? draft.id, app_id: app, name, app_config_id: config, file };
}

/** Without a config there is nothing but the name. */
function requireNoMore(given: Members): void {
  const keys = Object.keys(given).filter((key) => key !== "name");
  if (keys.length === 0) return;
  const detail = "This adds a part to a config. Give app_config_id as well.";
  throw problem.invalid(
    keys.map((key) => ({ pointer: `#/${key}`, code: "missing_app_config", detail })),
  );
}

const tooMany = (kind: NamedKind): Error =>
  problem.conflict("too_many_of_kind", `This app has ${mostOfApp} ${kind}, which is the limit.`);

/** What an app has by an id; 404 for nothing. */
async function requireNamed(
  db: Db,
  org: OrgId,
  { app, kind, id }: Of & { readonly id: string },
): Promise<NamedRow> {
  const page = { after: undefined, limit: 1, offset: 0 };
  const [row] = await listNamedParts(db, org, { kind, app, filter: { id }, ...page });
  if (row === undefined) throw problem.notFound(kinds[kind].one);
  return row;
}

/** What shows components or runbooks of an app with what its active config says of them. */
export async function prepareParts(
  db: Db,
  org: OrgId,
  { app, kind }: { readonly app: string; readonly kind: "components" | "runbooks" },
): Promise<(row: NamedRow) => ShownPart> {
  const { active_config_id: active } = await requireApp(db, org, app);
  const document = await readDocument(db, org, active);
  return (row) => toPart(row, active, document?.[kind] ?? []);
}

/** One of an app's components or runbooks; 404 when there is none. */
export async function showNamedPart(
  db: Db,
  org: OrgId,
  of: { readonly app: string; readonly kind: "components" | "runbooks"; readonly id: string },
): Promise<ShownPart> {
  const row = await requireNamed(db, org, of);
  return (await prepareParts(db, org, of))(row);
}

function toPart(
  row: NamedRow,
  active: string | null,
  parts: NonNullable<AppConfigDocument["components" | "runbooks"]>,
): ShownPart {
  const part = parts.find(({ name }) => nameKey(name) === nameKey(row.name));
  return {
    id: row.id,
    app_id: row.app_id,
    name: row.name,
    app_config_id: part === undefined ? null : active,
    config: part ?? null,
    created_at: row.created_at.toISOString(),
  };
}
