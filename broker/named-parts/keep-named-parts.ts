import { aheadOf } from "../../shared/api/said-members.ts";
import { problem } from "../../shared/problem.ts";
import {
  type Members,
  membersOf,
  mostOfConfig,
  partText,
  requireAdded,
} from "../app-configs/config-part.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import { requireFreeName } from "../names/require-free-name.ts";
import type { Actor } from "../tokens/actor.ts";
import { requireLabelled } from "./change-named-part.ts";
import { insertNamedPart, nameAppPart, type NamedKind } from "./named-part-queries.ts";
import { type SaidInput, saidOf, withNames } from "./said-of-part.ts";
import { oneOf, requireNamed } from "./show-named-parts.ts";

const prefixes = { actions: "act", components: "cmp", runbooks: "rbk" } as const;

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

type Ahead = SaidInput & {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
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
    const contents = await withNames(db, actor.orgId, app, membersOf(oneOf[kind], given));
    const adding = { app, kind, config, name: body.name, contents, merges: false };
    return { part: await addPart(db, actor, adding), isNew: true };
  }
  requireNoMore(kind, given);
  const { name, labels, ...input } = given as Ahead; // by the route's own schema
  const naming = { kind: oneOf[kind], name, there: { app_id: app } } as const;
  await requireFreeName(db, actor.orgId, naming);
  const says = await saidOf(db, actor.orgId, app, input);
  const draft = { id: newId(prefixes[kind]), name, created_by_id: actor.id, labels, ...says };
  const named = await nameAppPart(db, actor.orgId, app, { kind, draft, most: mostOfApp });
  if (named?.outcome === "not-found") throw problem.notFound("app");
  if (named?.outcome === "full") throw tooMany(kind);
  requireLabelled(kind, { outcome: named?.outcome, keys: named?.id ?? "" });
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
  const contents = await withNames(db, actor.orgId, app, { ...own, ...membersOf(type, given) });
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
  const draft = { id: newId(prefixes[kind]), name, created_by_id: actorId };
  const file = `${kind}/${name}.toml`;
  const part = { file, value: partText(contents), kind, draft, merges, by_id: actorId };
  const most = { ...mostOfConfig, named: mostOfApp };
  const added = await insertNamedPart(db, orgId, { app, id: config }, { part, most });
  if (added?.outcome === "full") throw tooMany(kind);
  requireAdded(added?.outcome);
  return { id: added?.id ?? draft.id, app_id: app, name, app_config_id: config, file };
}

/** Without a config there is the name, and what a config may take of it later. */
function requireNoMore(kind: NamedKind, given: Members): void {
  const ahead = aheadOf[oneOf[kind]].shape;
  const keys = Object.keys(given).filter((key) => key !== "name" && !Object.hasOwn(ahead, key));
  if (keys.length === 0) return;
  const detail = "This adds a part to a config. Give app_config_id as well.";
  throw problem.invalid(
    keys.map((key) => ({ pointer: `#/${key}`, code: "missing_app_config", detail })),
  );
}

const tooMany = (kind: NamedKind): Error =>
  problem.conflict("too_many_of_kind", `This app has ${mostOfApp} ${kind}, which is the limit.`);
