import { isMap } from "../../../shared/app-config/templates/json-value.ts";
import { faultOf } from "../../workflows/machine/step-kind.ts";
import type { DeployKind, KindOrder, Rendered } from "./deploy-kind.ts";
import { helmValues } from "./helm-values.ts";
import { contentsIn, defined, textIn } from "./rendered-members.ts";

/**
 * A deploy of a chart. Without a driver of its own the broker keeps its releases. Fields that somebody else has set meanwhile are taken
 * back, as nobody can say in a config that they are. Its teardown reads no values: these may be gone.
 */
export const helmDeploy = ({
  component,
  target,
  operation,
}: KindOrder<"helm_chart">): DeployKind => {
  const { chart_name, namespace, ...more } = component;
  const { values, values_file } = operation === "teardown" ? {} : component;
  const { storage_driver, take_ownership, skip_crds } = more;
  return {
    type: "helm-chart-deploy",
    cluster: "must",
    stateIn: "helm",
    given: { chart_name, namespace, values, values_file } as Rendered, // JSON, as it was checked
    make: (rendered, cluster) => {
      const set = helmValues(valuesIn(rendered));
      if ("unset" in set) return unsettable(component.name, set.unset);
      return {
        helm: defined({
          cluster_info: cluster,
          name: textIn(rendered["chart_name"]),
          namespace: textIn(rendered["namespace"]),
          create_namespace: true,
          helm_chart_id: target.chart_id,
          storage_driver,
          values_files: contentsIn(rendered["values_file"]),
          values: set.values.length > 0 ? set.values : undefined,
          values_override: set.override,
          take_ownership,
          skip_crds,
          force_conflicts: operation === "apply" ? true : undefined,
        }),
      };
    },
  };
};

function valuesIn({ values }: Rendered) {
  return values !== undefined && isMap(values) ? values : {};
}

const unsettable = (component: string, name: string) =>
  faultOf(
    "render_failed",
    "The component's config could not be rendered",
    `components/${component}.toml, values.${name}: its name is a path into a list, and helm sets text, whole numbers, true, false and null by such a path. Set the whole list, or use a values_file.`,
  );
