import { z } from "zod";
import { firstFault } from "../../../shared/issue-words.ts";
import { type Credentials, readCredentials } from "../../credentials/read-credentials.ts";
import type { JobInfo, Plan } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { type Approved, readApproved } from "../../kubernetes/approved.ts";
import { type PullSecret, readPullSecret } from "../../kubernetes/pull-secret.ts";
import { readSource } from "../../sources/read-source.ts";
import type { Source } from "../../sources/source.ts";
import { type PlanState, readPlanState } from "../../templates/render-texts.ts";

const text = z.string().nullish();
const flag = z.boolean().nullish();

const body = z.looseObject({
  name: z.string().nullish(),
  namespace: text,
  create_namespace: flag,
  storage_driver: text,
  helm_chart_id: text,
  values_files: z.array(z.string()).nullish(),
  values: z.array(z.looseObject({ name: text, value: text, type: text })).nullish(),
  values_override: text,
  take_ownership: flag,
  chart: z
    .looseObject({
      repository: z.string(),
      name: z.string(),
      version: text,
      username: text,
      password: text,
    })
    .nullish(),
  skip_crds: flag,
  force_conflicts: flag,
  outputs: z
    .record(
      z.string(),
      z.looseObject({ kind: z.string(), api_version: text, name: z.string(), path: z.string() }),
    )
    .nullish(),
  timeout: z.number().nullish(),
});
const whole = z.looseObject({
  apply_plan_contents: text,
  timeout: z.number().nullish(),
  helm: body.nullish(),
});

/** A field of a live object that becomes an output. */
export type LiveField = {
  readonly output: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly path: string;
};

/** A chart in a repository of charts. */
export type RepositoryChart = {
  readonly repository: string;
  readonly name: string;
  readonly version: string;
  readonly username: string;
  readonly password: string;
};

/** A validated helm job, with its defaults. */
export type HelmRun = {
  readonly action: "plan" | "plan-teardown" | "apply" | "exec";
  readonly name: string;
  readonly namespace: string;
  readonly createsNamespace: boolean;
  readonly driver: "secret" | "configmap" | "broker";
  /** The broker's chart that keeps the releases, when the driver is `broker`. */
  readonly chartId: string;
  readonly chart: Source | RepositoryChart | undefined;
  /** Contents of values files, or names of values files in the chart. */
  readonly valuesFiles: readonly string[];
  readonly values: readonly SetValue[];
  readonly override: string;
  /** What templates in values files of the chart are rendered with. */
  readonly known: PlanState | undefined;
  readonly takesOwnership: boolean;
  readonly skipsCrds: boolean;
  readonly isForced: boolean;
  readonly fields: readonly LiveField[];
  readonly waitMs: number;
  /** Written before anything is deployed. */
  readonly pullSecret: PullSecret | undefined;
  readonly timeoutMs: number | undefined;
  readonly approved: Approved | undefined;
  readonly credentials: Credentials;
};
export type SetValue = { readonly name: string; readonly value: string; readonly isText: boolean };

const usualWaitMs = 300_000;
const releaseName = /^[a-z0-9]([-a-z0-9.]{0,51}[a-z0-9])?$/;

/** Reads the plan of a helm job. Throws a JobFailure that names the invalid member. */
export function readHelmRun(plan: Plan, { operation }: JobInfo): HelmRun {
  const { data, error } = whole.safeParse(plan);
  const { data: inner, error: innerError } = body.safeParse(data?.helm ?? plan);
  if (data === undefined || inner === undefined) throw invalidPlan(firstFault(error ?? innerError));
  const action = actions[operation];
  if (action === undefined) {
    throw invalidPlan(
      `helm has no operation ${operation}: use one of ${Object.keys(actions).join(", ")}`,
    );
  }
  const name = inner.name ?? "";
  if (!releaseName.test(name)) throw invalidPlan("helm.name is not a valid release name");
  const chart = chartOf(inner.chart) ?? readSource(inner) ?? readSource(plan);
  if (chart === undefined && action !== "plan-teardown" && action !== "apply") {
    throw invalidPlan("the chart is missing: set helm.chart, helm.source or src_registry");
  }
  return {
    action,
    name,
    chart,
    namespace: inner.namespace || "default",
    createsNamespace: inner.create_namespace ?? false,
    driver: driverOf(inner.storage_driver ?? "", inner.helm_chart_id ?? ""),
    chartId: inner.helm_chart_id ?? "",
    valuesFiles: inner.values_files ?? [],
    values: (inner.values ?? []).map((one) => ({
      name: one.name ?? "",
      value: one.value ?? "",
      isText: one.type === "string",
    })),
    override: inner.values_override ?? "",
    known: readPlanState(inner, plan),
    takesOwnership: inner.take_ownership ?? false,
    skipsCrds: inner.skip_crds ?? false,
    isForced: inner.force_conflicts ?? false,
    fields: Object.entries(inner.outputs ?? {}).map(([output, field]) => ({
      output,
      apiVersion: field.api_version || "v1",
      kind: field.kind,
      name: field.name,
      path: field.path,
    })),
    waitMs: millis(inner.timeout) ?? usualWaitMs,
    pullSecret: readPullSecret(plan),
    timeoutMs: millis(data.timeout),
    approved: action === "apply" ? readApproved(data.apply_plan_contents) : undefined,
    credentials: readCredentials({ ...plan, ...inner }),
  };
}

const actions: Readonly<Record<string, HelmRun["action"]>> = {
  "create-apply-plan": "plan",
  "create-teardown-plan": "plan-teardown",
  "apply-plan": "apply",
  exec: "exec",
};

/**
 * A control plane may use its own name for a driver that keeps releases itself: with a chart at the broker, any name
 * that is not one of helm's means that chart.
 */
function driverOf(given: string, chartId: string): HelmRun["driver"] {
  if (/^configmaps?$/.test(given)) return "configmap";
  if (/^secrets?$/.test(given) || (given === "" && chartId === "")) return "secret";
  const isHelms = /^(?:sql|memory)$/.test(given);
  if (chartId !== "" && !isHelms) return "broker";
  const names = "secret, configmap or, with helm_chart_id, broker";
  throw invalidPlan(`helm.storage_driver ${given} is not supported: use ${names}`);
}

function chartOf(given: z.infer<typeof body>["chart"]): RepositoryChart | undefined {
  if (given == null) return undefined;
  const { repository, name, version, username, password } = given;
  if (!/^https?:\/\//.test(repository))
    throw invalidPlan("helm.chart.repository is not an http or https URL");
  for (const [member, value] of Object.entries({ name, version: version ?? "" })) {
    if (/^-|[\s\p{Cc}]/u.test(value))
      throw invalidPlan(`helm.chart.${member} must not begin with - or contain whitespace`);
  }
  return {
    repository,
    name,
    version: version ?? "",
    username: username ?? "",
    password: password ?? "",
  };
}

const millis = (ns: number | null | undefined): number | undefined =>
  ns == null || ns <= 0 ? undefined : ns / 1e6;
