import type { ShownComponent } from "../../shared/api/components.ts";
import type { ConfigGraph } from "../../shared/app-config/config-graph.ts";
import type { Asking } from "../app-configs/changes-between.ts";
import { graphOfConfig } from "../app-configs/graph-of-config.ts";
import type { Broker } from "../broker.ts";
import { listNamedParts } from "./named-part-queries.ts";
import { requireNamed, showComponents } from "./show-named-parts.ts";

type Which = { readonly app: string; readonly id: string };

/** The components that a component needs by the active config, or that need it, by name; 404 when there is no such component. */
export async function relatedComponents(
  broker: Pick<Broker, "db" | "work">,
  asking: Asking,
  { app, id }: Which,
  way: "dependencies" | "dependents",
): Promise<ShownComponent[]> {
  const { db } = broker;
  const { orgId } = asking.actor;
  const kind = "components" as const;
  const {
    active_config_id: active,
    config_id,
    name,
  } = await asking.withPermit(() => requireNamed(db, orgId, { kind, app, id }));
  if (active === null || config_id === null) return [];
  const drawn = await graphOfConfig(broker, asking, {
    which: { app, id: active },
    isText: false,
  });
  const { edges } = JSON.parse(Buffer.from(drawn).toString("utf8")) as ConfigGraph; // as the child wrote it
  const names = namesOf(edges, name, way);
  if (names.length === 0) return [];
  return await asking.withPermit(async () => {
    const page = { after: undefined, limit: names.length, offset: 0 };
    const rows = await listNamedParts(db, orgId, { kind, app, filter: { names }, ...page });
    const shown = await showComponents(db, orgId, rows);
    return shown.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  });
}

/** Names are in the graph as the config spells them, which a component takes over with it. */
function namesOf(
  edges: ConfigGraph["edges"],
  name: string,
  way: "dependencies" | "dependents",
): string[] {
  const names = edges.flatMap(({ from, to }) => {
    if (from.type !== "component") return [];
    if (way === "dependencies") return from.name === name ? [to] : [];
    return to === name ? [from.name] : [];
  });
  return [...new Set(names)];
}
