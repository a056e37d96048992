import type { Json } from "../../../shared/app-config/templates/json-value.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import type { CompositeFault } from "../../workflows/machine/workflow-rows.ts";
import type { ComponentConfigPart, DeployOrder } from "../deploy-order.ts";
import type { ClusterInfo } from "./cluster-info-of.ts";

export type Members = Readonly<Record<string, unknown>>;

/** What a deploy of one kind has of its own. */
export type DeployKind = {
  readonly type: RunnerJobType;
  /** Whether it goes into a cluster, or gets one where there is one. */
  readonly cluster: "must" | "may" | "none";
  /** The member for what templates of its artifact read, where the agent renders those; empty: the plan itself. */
  readonly stateIn?: string;
  /** Which plans an agent reads that renders them; those with a state unless given. */
  readonly statePlans?: number;
  /** What of its config may have templates, by the names that it has there. */
  readonly given: { readonly [member: string]: Json | undefined };
  /** Its members of the plan, by what came of that. */
  readonly make: (rendered: Rendered, cluster: ClusterInfo | undefined) => Members | CompositeFault;
};

/** What templates made of the members that a config has. */
export type Rendered = { readonly [member: string]: Json | undefined };

type OfType<Type extends ComponentConfigPart["type"]> = Extract<
  ComponentConfigPart,
  { type: Type }
>;

/** What a kind makes its members of. */
export type KindOrder<Type extends ComponentConfigPart["type"]> = Pick<
  DeployOrder,
  "facts" | "target" | "operation" | "pullSecret"
> & { readonly component: OfType<Type> };
