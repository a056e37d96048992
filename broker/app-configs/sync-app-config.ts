import { problem } from "../../shared/problem.ts";
import { requireApp } from "../apps/keep-apps.ts";
import type { Broker } from "../broker.ts";
import { keepSources } from "../config-sources/keep-sources.ts";
import { newId } from "../database/new-id.ts";
import type { Asking } from "./changes-between.ts";
import { checkPolicies } from "./check-policies.ts";
import { freeBytes } from "./free-bytes.ts";
import { activateConfig, findConfig, findDocument } from "./queries.ts";
import { showChecked } from "./show-configs.ts";
import type { CheckAsked, Checked } from "./work/check-config.ts";
import type { ConfigBody } from "./work/config-body.ts";
import { otherApp } from "./work/require-valid.ts";

type Parts = Pick<Broker, "config" | "db" | "opa" | "seals" | "work">;
type Sync = {
  readonly app: string;
  readonly source: ConfigBody;
  readonly base: string | undefined;
  readonly cliVersion: string;
};
/** An answer in pieces of JSON, and whether it tells of something new. */
export type Synced = { readonly json: readonly (string | Uint8Array)[]; readonly isNew: boolean };

/** Another config may become the active one while this is checked: then it is compared with that. */
const mostTries = 5;

/** Makes a config the app's active one; the one that is active already stays. 422 with all that is wrong in it. */
export async function syncAppConfig(parts: Parts, asking: Asking, sync: Sync): Promise<Synced> {
  for (let tries = 0; tries < mostTries; tries++) {
    const synced = await trySync(parts, asking, sync);
    if (synced !== "changed") return synced;
  }
  throw problem.conflict(
    "config_changed",
    "Another config became active while this one was being checked. Try again.",
  );
}

async function trySync(
  { config, db, opa, seals, work }: Parts,
  asking: Asking,
  { app, source, base, cliVersion }: Sync,
): Promise<Synced | "changed"> {
  const { actor, withPermit } = asking;
  const { orgId } = actor;
  const id = newId("cfg");
  const { active, name, bytes } = await before({ db }, asking, app);
  const draftOf = { id, cliVersion, actorId: actor.id, builds: config.registry !== undefined };
  const asked = { draft: draftOf, brands: config.brands, defaultName: name };
  const checked = await check({ opa, work }, asking, { asked, source, bytes });
  if (base !== undefined && base !== active && checked.told.changeCount > 0)
    throw configChanged(active);
  const kept = await withPermit(() => keepSources({ db, seals }, orgId, checked.archives));
  const draft = withSources(textOf(checked.draft), checked.told.sources, kept);
  freeBytes(checked.draft);
  const made = await withPermit(() =>
    activateConfig(db, orgId, app, { draft, base: base ?? active ?? undefined }),
  );
  if (made?.outcome === "not-found") throw problem.notFound("app");
  if (made?.outcome === "other-app") throw otherApp(made.id ?? "");
  if (made?.outcome === "changed" && base === undefined) return "changed";
  if (made?.outcome === "changed") throw configChanged(made.id);
  const isNew = made?.outcome === "created";
  const shown = await withPermit(async () => {
    const row = await findConfig(db, orgId, { app, id: made?.id ?? id });
    if (row === undefined) throw problem.notFound("app config");
    return await showChecked(db, row, checked.told.names);
  });
  const json = [
    JSON.stringify(shown).slice(0, -1),
    ',"readme":',
    checked.readme,
    ',"changes":',
    isNew ? checked.changes : "[]",
    ',"warnings":',
    checked.warnings,
    ',"notices":',
    checked.notices,
    "}",
  ];
  return { json, isNew };
}

/** What a sync would change; nothing is stored. */
export async function previewAppConfig(
  { config, db, opa, work }: Parts,
  asking: Asking,
  { app, source, base }: Omit<Sync, "cliVersion">,
): Promise<Pick<Synced, "json">> {
  const { active, name, bytes } = await before({ db }, asking, app);
  const asked = { appName: name, brands: config.brands };
  const checked = await check({ opa, work }, asking, { asked, source, bytes });
  const { checksum, changeCount } = checked.told;
  if (base !== undefined && base !== active && changeCount > 0) throw configChanged(active);
  const json = [
    `{"checksum":${JSON.stringify(checksum)},"changes":`,
    checked.changes,
    ',"warnings":',
    checked.warnings,
    ',"notices":',
    checked.notices,
    "}",
  ];
  return { json };
}

/** The app, and the document that is active in it. */
async function before({ db }: Pick<Parts, "db">, { actor, withPermit }: Asking, app: string) {
  return await withPermit(async () => {
    const { active_config_id: active, name } = await requireApp(db, actor.orgId, app);
    const text = active === null ? undefined : await findDocument(db, actor.orgId, active);
    return { active, name, bytes: text === undefined ? [] : [Buffer.from(text)] };
  });
}

async function check(
  { opa, work }: Pick<Parts, "opa" | "work">,
  asking: Asking,
  given: { readonly asked: CheckAsked; readonly source: ConfigBody; readonly bytes: Buffer[] },
): Promise<Answered> {
  const { asked, source, bytes } = given;
  const { gone } = asking;
  const { orgId } = asking.actor;
  const { form, unpackedBytes } = source;
  const { told, bytes: made } = await work.run(
    {
      orgId,
      kind: "configs.check",
      asked: { ...asked, form },
      bytes: [source.bytes, ...bytes],
      unpackedBytes,
    },
    gone,
  );
  for (const one of bytes) freeBytes(one); // the child has them
  const [draft = none, changes = none, checked = none, notices = none, readme = none] = made;
  const archivesAt = 5 + told.policies.length;
  const remarks = await checkPolicies({ opa }, asking, told.policies, made.slice(5, archivesAt));
  const warnings = remarks.length === 0 ? checked : withRemarks(checked, remarks);
  const archives = made.slice(archivesAt);
  return { told, draft, changes, warnings, notices, readme, archives };
}

type Answered = Record<CheckedPart, Uint8Array> & {
  readonly told: Checked;
  /** What components are built from. */
  readonly archives: readonly Buffer[];
};

/** A draft, the JSON of one, that names what its components are built from. */
function withSources(draft: string, sources: Checked["sources"], ids: readonly string[]): string {
  if (sources.length === 0) return draft;
  const named = sources.map(({ component, at }) => ({ component, source_id: ids[at] ?? "" }));
  return `${draft.slice(0, -1)},"sources":${JSON.stringify(named)}}`;
}

/** A list as JSON, with more in it. */
function withRemarks(list: Uint8Array, remarks: readonly unknown[]): Uint8Array {
  const more = remarks.map((one) => JSON.stringify(one)).join(",");
  const text = Buffer.from(list).toString("utf8");
  return Buffer.from(text === "[]" ? `[${more}]` : `${text.slice(0, -1)},${more}]`);
}

type CheckedPart = "draft" | "changes" | "warnings" | "notices" | "readme";

const none = new Uint8Array();
const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("utf8");

const configChanged = (active: string | null): Error =>
  problem.conflict(
    "config_changed",
    "The active config is not the one that this one is based on.",
    { active_config_id: active },
  );
