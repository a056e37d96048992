import type { ConfigGraph } from "../../shared/app-config/config-graph.ts";
import { nameKey } from "../../shared/app-config/rules/rule.ts";
import type { Asking } from "../app-configs/changes-between.ts";
import { graphOfConfig } from "../app-configs/graph-of-config.ts";
import type { Broker } from "../broker.ts";
import { listTargets } from "./target-queries.ts";

type Of = {
  readonly app: string;
  readonly installId: string;
  readonly configId: string;
  readonly name: string;
};

/** The names of the components that need a component by a config, and of which something is deployed in an install. */
export async function deployedDependents(
  broker: Pick<Broker, "db" | "work">,
  asking: Asking,
  { app, installId, configId, name }: Of,
): Promise<string[]> {
  const { orgId } = asking.actor;
  const rows = await asking.withPermit(() =>
    listTargets(broker.db, orgId, { installId, configId, filter: {} }),
  );
  const deployed = rows.filter(
    (row) => (row.deployed_id ?? row.touched_id) !== null && nameKey(row.name) !== nameKey(name),
  );
  if (deployed.length === 0) return [];
  const which = { app, id: configId };
  const drawn = await graphOfConfig(broker, asking, { which, isText: false });
  const { edges } = JSON.parse(Buffer.from(drawn).toString("utf8")) as ConfigGraph; // as the child wrote it
  const needing = new Set(
    edges.flatMap(({ from, to }) =>
      from.type === "component" && nameKey(to) === nameKey(name) ? [nameKey(from.name)] : [],
    ),
  );
  return deployed.map((row) => row.name).filter((one) => needing.has(nameKey(one)));
}
