import type { InstallConfigDiff } from "../../../shared/api/install-app-configs.ts";
import type { ConfigChange } from "../../../shared/app-config/diff-configs.ts";
import { componentTypeOf } from "../../../shared/component-types.ts";
import { problem } from "../../../shared/problem.ts";
import type { Asking } from "../../app-configs/changes-between.ts";
import { requireText } from "../../app-configs/show-configs.ts";
import type { Broker } from "../../broker.ts";
import { requireInstall } from "../keep-installs.ts";
import { installAppConfigRows } from "./install-app-config-rows.ts";
import { listComponentsOfConfigs } from "./list-components-of-configs.ts";

type Which = { readonly installId: string; readonly id: string };
type Entry = InstallConfigDiff["added"][number];

/** What a config that an install had has otherwise than the one before it: of its components, its sandbox and its stack. */
export async function diffInstallAppConfigs(
  { db, work }: Pick<Broker, "db" | "work">,
  { actor: { orgId: org }, withPermit, gone }: Asking,
  { installId, id }: Which,
): Promise<InstallConfigDiff> {
  const { oldId, newId, texts, components } = await withPermit(async () => {
    await requireInstall(db, org, installId);
    const params = { install_id: installId, version_id: id };
    const change = await installAppConfigRows.find(db, org, params);
    if (change === undefined) throw problem.notFound("config version");
    const { old_app_config_id: before, new_app_config_id: after } = change;
    const configs = before === null ? [after] : [after, before];
    const read: string[] = [];
    for (const config of configs) read.push(await requireText(db, org, config));
    const listed = await listComponentsOfConfigs(db, org, configs);
    return { oldId: before, newId: after, texts: read, components: listed };
  });
  const bytes = texts.map((text) => Buffer.from(text));
  const done = await work.run({ orgId: org, kind: "configs.diff", asked: {}, bytes }, gone);
  const changes = JSON.parse(done.bytes[0]?.toString("utf8") ?? "[]") as readonly ConfigChange[]; // as the child writes it

  const of = new Map(
    changes.flatMap(({ section, name, change }) =>
      section === "components" ? [[name, change]] : [],
    ),
  );
  const entries = (wanted: ConfigChange["change"] | undefined): Entry[] =>
    components
      .filter(({ name }) => of.get(name) === wanted)
      .map(({ component_id, name, type }) => ({
        component_id,
        component_name: name,
        component_type: componentTypeOf(type),
      }));
  const isChanged = (section: string): boolean =>
    changes.some((one) => one.section === section || one.section.startsWith(`${section}.`));
  const before = oldId ?? undefined;
  const [sandbox, stack] = [isChanged("sandbox"), isChanged("stack")];
  return {
    added: entries("added"),
    changed: entries("changed"),
    removed: entries("removed"),
    unchanged: entries(undefined),
    sandbox_changed: sandbox,
    ...(sandbox && { sandbox_old_id: before, sandbox_new_id: newId }),
    stack_changed: stack,
    ...(stack && { stack_old_id: before, stack_new_id: newId }),
  };
}
