import { canonicalJson, checksumOf } from "../../../shared/app-config/canonical-json.ts";
import type { Json } from "../../../shared/app-config/templates/json-value.ts";
import { RenderError, type RenderWork } from "../../../shared/app-config/templates/render-work.ts";
import { hiddenValue } from "../../../shared/hidden-value.ts";
import { checkPlan } from "../../../shared/plans/check-plan.ts";
import { planNames } from "../../../shared/plans/plan-names.ts";
import { plansWithState } from "../../../shared/runner-job-types.ts";
import { mostPlanBytes } from "../../actions/action-plan.ts";
import type { StateFacts } from "../../installs/install-state.ts";
import type { StateValues } from "../../installs/state-values.ts";
import type { PlanWords } from "../../rendering/plan-words.ts";
import { type RenderedForPlan, renderForPlan } from "../../rendering/render-for-plan.ts";
import { mostSecrets, writePlan } from "../../rendering/write-plan.ts";
import { faultOf } from "../../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../../workflows/machine/workflow-rows.ts";
import type {
  ArtifactPlace,
  DeployOrder,
  DeployPlanned,
  PlacedPullSecret,
  PullSecret,
} from "../deploy-order.ts";
import { artifactState } from "./artifact-state.ts";
import {
  type ClusterInfo,
  clusterAt,
  clusterInfoOf,
  clusterTemplates,
  shownCluster,
} from "./cluster-info-of.ts";
import { clusterHidden, findClusterPlaces, requireCluster } from "./cluster-places.ts";
import { deployKindOf } from "./deploy-kind-of.ts";
import type { DeployKind, Members, Rendered } from "./deploy-kind.ts";

/** The plan of a job that plans a deploy or a run of a sandbox, rendered with what is known now; or why there is none. */
export function planDeploy(
  order: DeployOrder,
  values: StateValues,
  work: RenderWork,
): DeployPlanned {
  const facts = { ...order.facts, ...values };
  const kind = deployKindOf(order);
  const words = wordsOf(order);
  const given = { ...kind.given, [context]: clusterTemplates(findClusterPlaces(order, kind)) };
  const place = { file: fileOf(order), member: "" };
  const rendered = renderForPlan(withoutAbsent(given), facts, place, { work, words });
  if ("code" in rendered) return rendered;
  const own = membersOf(order, kind, rendered);
  if ("code" in own) return own;
  const made = withState(order, { kind, made: own, facts, work });
  if ("code" in made) return made;
  const plan = planOf(order, kind, made.members);
  const twin = {
    ...planOf(order, kind, made.twin),
    ...((rendered.isMasked || made.isMasked) && { secrets: [hiddenValue] }), // how many is told to nobody
  };
  const [wrong] = checkPlan(kind.type, plan);
  if (wrong !== undefined)
    throw new Error(`a plan of ${kind.type}: ${wrong.path.join(".")} ${wrong.message}`);
  const bounds = { work, words, mostBytes: mostPlanBytes, tooLong };
  const written = writePlan({ plan, twin, made: rendered.made }, facts, bounds);
  if ("code" in written) return written;
  return {
    type: kind.type,
    ...written,
    valuesDigest: digestOf(made.keyed, order.artifact),
    names: planNames(plan),
    statePlans: made.statePlans,
    writesPullSecret: hasSecret(order, kind) && order.operation === "apply",
    timeoutNs: ("component" in order.part ? order.part.component.deploy_timeout : undefined) ?? 0,
  };
}

type WithState = Made & { readonly statePlans: number; readonly isMasked: boolean };
type Stating = {
  readonly kind: DeployKind;
  readonly made: Made;
  readonly facts: StateFacts;
  readonly work: RenderWork;
};

/** The same, with what the agent renders the artifact with. What the broker has rendered comes in the artifact's place: that needs none. */
function withState(
  order: DeployOrder,
  { kind, made, facts, work }: Stating,
): WithState | CompositeFault {
  const { stateIn } = kind;
  const inner = stateIn === "" ? {} : made.members[stateIn ?? ""];
  const isRendered = typeof inner === "object" && inner !== null && "manifest" in inner;
  const without = { ...made, statePlans: 0, isMasked: false };
  if (stateIn === undefined || inner === undefined || isRendered || order.references.length === 0)
    return without;
  try {
    const state = artifactState(order.references, facts, work);
    if (state === undefined) return without;
    const { brands = [] } = facts.config;
    const put = (members: Members, more: Members): Members => ({
      ...members,
      ...(brands.length > 0 && { brands }),
      ...(stateIn === "" ? more : { [stateIn]: { ...(members[stateIn] as Members), ...more } }), // as a kind made it
    });
    return {
      members: put(made.members, state.plan),
      twin: put(made.twin, state.twin),
      keyed: put(made.keyed, state.plan),
      statePlans: kind.statePlans ?? plansWithState,
      isMasked: "state_sensitive" in state.plan,
    };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return faultOf("render_failed", "It is too large", wordsOf(order).tooLarge);
  }
}

/** Beside what the config has for its kind. */
const context = "kubernetes_context";

const fileOf = ({ part }: DeployOrder): string =>
  "component" in part ? `components/${part.component.name}.toml` : "sandbox.toml";

const withoutAbsent = (members: Rendered): Json =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])),
  );

type Made = {
  readonly members: Members;
  readonly twin: Members;
  /** What says whether another plan would be the same: a token of a cluster is another each time. */
  readonly keyed: Members;
};

/** What the plan has of its kind, and as people are shown that. */
function membersOf(
  order: DeployOrder,
  kind: DeployKind,
  { value, twin }: RenderedForPlan,
): Made | CompositeFault {
  const [real, shown] = [value as Rendered, twin as Rendered]; // of the members that were given
  const { install } = order.facts;
  const at = clusterAt(real[context]);
  const cluster = clusterInfoOf(real[context], at, install);
  const fault = cluster === undefined ? requireCluster(order, kind) : clusterHidden(cluster);
  if (fault !== undefined) return fault;
  const { token: _, ...keyed } = cluster ?? {};
  const shownOne = shownCluster(clusterInfoOf(shown[context], at, install));
  const [members, masked, rest] = [
    kind.make(real, cluster),
    kind.make(shown, shownOne),
    kind.make(real, keyed),
  ];
  if (isFault(members)) return members;
  if (isFault(masked)) return masked;
  return isFault(rest) ? rest : { members, twin: masked, keyed: rest };
}

const isFault = (made: Members | CompositeFault): made is CompositeFault => "code" in made;

/** Only what goes into a cluster by itself has a namespace for one. */
const hasSecret = (
  order: DeployOrder,
  { cluster }: DeployKind,
): order is DeployOrder & { readonly pullSecret: PullSecret } =>
  cluster === "must" && order.pullSecret !== null;

function planOf(order: DeployOrder, kind: DeployKind, members: Members): Members {
  const { facts, appConfigId, part, artifact } = order;
  const { install, app } = facts;
  return {
    ...(hasSecret(order, kind) && { pull_secret: placed(order, members) }), // first: its login is put there
    install_id: install.id,
    app_id: app.id,
    app_config_id: appConfigId,
    ...("component" in part
      ? {
          component_id: part.componentId,
          component_name: part.component.name,
          ...(artifact !== null && {
            src_registry: registryOf(artifact),
            src_tag: artifact.tag,
            src_digest: artifact.digest,
          }),
        }
      : artifact !== null && {
          oci_source: {
            registry: registryOf(artifact),
            tag: artifact.tag,
            digest: artifact.digest,
          },
        }),
    ...members,
    ...(install.sandbox_mode === true && { sandbox_mode: { enabled: true } }),
  };
}

type WithSecret = Pick<DeployOrder, "part"> & { readonly pullSecret: PullSecret };

/**
 * A namespace as the plan's kind has it, of the cluster that it names: how one signs in there changes, its address does not. Where one place has two
 * of these a former login lives longer; where two places had one, it would be taken away.
 */
function placed({ part, pullSecret: secret }: WithSecret, members: Members): PlacedPullSecret {
  const named = "component" in part ? (part.component.kubernetes_context ?? "") : "";
  const [kind] = Object.values(members) as { namespace?: string; cluster_info?: ClusterInfo }[];
  const { namespace = "", cluster_info: at } = kind ?? {};
  const place = checksumOf(canonicalJson([named, at?.endpoint ?? at?.id ?? "", namespace]));
  return { ...secret, place: place.slice(0, 32) };
}

/** Its login comes with the job. */
export const registryOf = ({ server, repository, plainHttp }: ArtifactPlace): Members => ({
  registryType: "private_oci",
  loginServer: server,
  repository,
  ...(plainHttp && { plain_http: true }),
});

const digestOf = (members: Members, artifact: ArtifactPlace | null): string =>
  checksumOf(canonicalJson({ members, digest: artifact?.digest ?? null }));

const wordsOf = ({ part }: DeployOrder): PlanWords => {
  const is = "component" in part ? "component" : "sandbox";
  return {
    config: `${is}'s config`,
    tooLarge: `The plan of the ${is} is too large for all that is sensitive to be looked for in it. Make its values and files shorter.`,
    tooMuch: `Sensitive values in the plan of the ${is} expand to more than logs can hide: ${mostSecrets} texts, 1 MiB together. Let its templates write less of them.`,
  };
};

const tooLong = (): CompositeFault =>
  faultOf(
    "render_failed",
    "Its plan is too long",
    `Its plan, with its masked twin, is longer than ${mostPlanBytes} bytes. Make its values and files shorter.`,
  );
