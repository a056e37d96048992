import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { StateBase } from "../installs/state-base.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";

export type ComponentConfigPart = NonNullable<AppConfigDocument["components"]>[number];
export type SandboxConfigPart = NonNullable<AppConfigDocument["sandbox"]>;

/** Where the artifact is that is deployed. */
export type ArtifactPlace = {
  /** Host and port. */
  readonly server: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
  readonly plainHttp: boolean;
};

/** A Secret of a cluster, and the registry that it opens; a teardown names it where nothing needs it any more. */
export type PullSecret = {
  readonly removed?: true;
  readonly name: string;
  readonly server: string;
};
/** The same in a plan, with what tells its namespace and cluster from others of the install. */
export type PlacedPullSecret = PullSecret & { readonly place: string };

/** A deploy, or a run of a sandbox, whose plan is to be rendered, as JSON. */
export type DeployOrder = {
  readonly facts: StateBase;
  readonly appConfigId: string;
  readonly part:
    | { readonly component: ComponentConfigPart; readonly componentId: string }
    | { readonly sandbox: SandboxConfigPart };
  /** The row of `install_components`. */
  readonly target: {
    readonly id: string;
    readonly workspace_id: string;
    readonly chart_id: string;
  };
  readonly deployId: string;
  readonly operation: "apply" | "teardown";
  /** By which its cluster pulls the images that it needs; null where it needs none of the broker's registry. */
  readonly pullSecret: PullSecret | null;
  /** Null of a job, which has an image of its own. */
  readonly artifact: ArtifactPlace | null;
  /** The paths below `.svc` that its templates read. */
  readonly references: readonly string[];
  /** Policies of its cluster, of a sandbox that is made by terraform, by the names of their files; absent where there are none. */
  readonly kyverno?: Readonly<Record<string, string>>;
};

/** The plan of a job that plans a deploy, without its login, and its twin for people. */
export type DeployPlanTexts = {
  readonly type: RunnerJobType;
  readonly text: string;
  readonly shown: string;
  /** Of all that was rendered: what other values give another of. Whoever keeps it keys it. */
  readonly valuesDigest: string;
  /** What of the broker's own the plan names: its workspace, its chart. */
  readonly names: readonly string[];
  /** Which plans an agent reads that renders templates of the artifact; 0: there are none. */
  readonly statePlans: number;
  /** Whether what applies it writes a Secret by which images are pulled. */
  readonly writesPullSecret: boolean;
  /** Nanoseconds; 0: that of the job's type. */
  readonly timeoutNs: number;
};
export type DeployPlanned = DeployPlanTexts | CompositeFault;
