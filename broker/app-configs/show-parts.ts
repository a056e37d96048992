import type { z } from "zod";
import { partRecords } from "../../shared/api/part-records.ts";
import { problem } from "../../shared/problem.ts";
import { requireApp } from "../apps/keep-apps.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findConfig, findConfigOfAny, findLatestConfig } from "./queries.ts";
import { requireListable } from "./require-listable.ts";
import type { AppConfigRow } from "./row.ts";
import { storedDocument } from "./stored-document.ts";

export type PartSection = keyof typeof partRecords;
type Of = { readonly app: string; readonly id: string | undefined };

/** A part of an app's config, or of its active one, as the API shows it; 404 where there is none. */
export async function showPart(
  db: Db,
  org: OrgId,
  { app, id }: Of,
  section: PartSection,
): Promise<object> {
  await requireApp(db, org, app);
  const config = await (id === undefined
    ? findLatestConfig(db, org, app)
    : findConfig(db, org, { app, id }));
  if (config === undefined && id !== undefined) throw problem.notFound("app config");
  if (config === undefined) throw noPart("This app has no active config.");
  const part = (await storedDocument(db, org, config.id))?.[section];
  if (part === undefined) {
    const which = id === undefined ? "The active config" : "This config";
    throw noPart(`${which} has no ${section.replaceAll("_", " ")}.`);
  }
  return toPart(config, section, part);
}

/** The parts of these configs that have it; 422 where the configs are too long for one answer. */
export async function showParts(
  db: Db,
  org: OrgId,
  configs: readonly AppConfigRow[],
  section: PartSection,
): Promise<object[]> {
  const ids = configs.map(({ id }) => id);
  await requireListable(db, org, ids);
  const shown: object[] = [];
  for (const config of configs) {
    const part = (await storedDocument(db, org, config.id))?.[section];
    if (part !== undefined) shown.push(toPart(config, section, part));
  }
  return shown;
}

/** A part of a config of whatever app; undefined where it has none. */
export async function showPartOf<Section extends PartSection>(
  db: Db,
  org: OrgId,
  id: string,
  section: Section,
): Promise<z.output<(typeof partRecords)[Section]["schema"]> | undefined> {
  const config = await findConfigOfAny(db, org, id);
  const part = config && (await storedDocument(db, org, id))?.[section];
  if (config === undefined || part === undefined) return undefined;
  return toPart(config, section, part) as z.output<(typeof partRecords)[Section]["schema"]>; // the record's own schema
}

const noPart = (why: string) => problem.notFound("app config part", why);

/** A part of a config as the API shows it. */
export function toPart(config: AppConfigRow, section: PartSection, part: object): object {
  const { id, org_id, app_id, created_by_id } = config;
  const created_at = config.created_at.toISOString();
  const made = { created_at, created_by_id, updated_at: created_at };
  const whole = { org_id, app_id, app_config_id: id, ...made };
  const record = partRecords[section].read(part as Readonly<Record<string, unknown>>, whole);
  return { id, ...whole, ...record };
}
