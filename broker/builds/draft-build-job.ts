import { hash } from "node:crypto";
import { newId } from "../database/new-id.ts";
import { registryLoginThing } from "../registry/keep-registry-logins.ts";
import { makeJobLogin } from "../registry/make-job-login.ts";
import type { RegistryConfig } from "../registry/registry-settings.ts";
import type { Seals } from "../seals/seals.ts";
import { draftJobOfStep } from "../workflows/draft-job-of-step.ts";
import type { JobDraft, WorkflowDraft } from "../workflows/machine/workflow-draft.ts";
import type { BuildRow, Step } from "../workflows/machine/workflow-rows.ts";
import type { BuildFacts } from "./build-facts.ts";
import type { BuildJob } from "./build-plan.ts";
import { openBuildSecret } from "./build-secrets.ts";
import { withClientSecret } from "./image-source-of.ts";

type Parts = {
  readonly facts: BuildFacts;
  readonly seals: Seals;
  readonly registry: RegistryConfig | undefined;
};
type OfBuild = {
  readonly step: Step;
  readonly build: BuildRow;
  readonly planned: BuildJob;
  readonly runnerId: string;
  /** 0: that of the job's type. */
  readonly timeoutNs: number;
};

/** The job of a step that builds a component, with its login to the build's repository where the registry asks for one. */
export function draftBuildJob(
  parts: Parts,
  { workflow }: Pick<WorkflowDraft, "workflow">,
  { step, build, planned, runnerId, timeoutNs }: OfBuild,
): JobDraft {
  const { facts, seals } = parts;
  const id = newId("job");
  const { plan, login } = withLogin(id, withSecrets(planned, build, parts), parts);
  const metadata = {
    app_id: facts.app.id,
    app_config_id: facts.configId,
    ...(build.component_id === null
      ? { app_sandbox_build_id: build.id }
      : { component_id: build.component_id, component_build_id: build.id }),
  };
  const of = { id, orgId: facts.org.id, runnerId, workflow, step, login };
  return draftJobOfStep(seals, of, {
    type: planned.type,
    operation: "build",
    ownerId: build.id,
    ownerType: build.component_id === null ? "app_sandbox_builds" : "component_builds",
    metadata,
    plan: JSON.stringify(plan),
    planNames: [],
    executionTimeout: timeoutNs,
  });
}

/** The plan of a build with the values of the app's secrets that it has. */
function withSecrets(job: BuildJob, build: BuildRow, parts: Parts): BuildJob["plan"] {
  const { facts, seals } = parts;
  const { plan, type, secrets } = job;
  const own = { org: facts.org.id, app: facts.app.id, secrets: facts.secrets };
  const values = secrets.flatMap((name) => {
    const value = openBuildSecret(seals, own, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (type === "docker-build") return withLayers(plan, { build, values }, parts);
  const [[, secret] = []] = values;
  if (type !== "container-image-build" || secret === undefined) return plan;
  const container_image_pull_plan = plan["container_image_pull_plan"] as typeof plan; // as it was made
  return {
    ...plan,
    container_image_pull_plan: withClientSecret(container_image_pull_plan, secret),
  };
}

type Values = readonly (readonly [name: string, value: string])[];

/** The plan of an image with what it is built with, and the key of its layers, which no plan that somebody else makes can have. */
function withLayers(
  plan: BuildJob["plan"],
  { build, values }: { readonly build: BuildRow; readonly values: Values },
  { facts, seals }: Parts,
): BuildJob["plan"] {
  const member = plan["docker_build_plan"] as object; // as it was made
  const docker_build_plan = {
    ...member,
    ...(values.length > 0 && { secrets: Object.fromEntries(values) }),
    cache_key: layersKey(seals, [facts.org.id, facts.app.id, build.component_id ?? ""], values),
    ...(build.is_forced && { no_cache: true }),
  };
  return { ...plan, docker_build_plan };
}

/** Layers that were made with other secrets are not of the same steps. Without a key, what a value is can be tried. */
function layersKey(seals: Seals, of: readonly string[], secrets: Values): string {
  const keyId = seals.newest();
  const sorted = secrets.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const known = keyId === null ? sorted.map(([name]) => name) : sorted;
  const digest = hash("sha256", `image layers ${of.join(" ")} ${JSON.stringify(known)}`, "buffer");
  const key = keyId === null ? seals.fingerprints(digest)[""] : seals.fingerprint(digest, keyId);
  return hash("sha256", key ?? "", "hex");
}

/** The plan with a login that pulls and pushes where its artifact goes. */
function withLogin(jobId: string, plan: BuildJob["plan"], { facts, seals, registry }: Parts) {
  const target = plan["dst_registry"] as { readonly repository: string }; // as it was made
  const withAuth = (ociauth: object) => ({ ...plan, dst_registry: { ...target, ociauth } });
  if (registry?.auth === "fixed" && facts.pushLogin !== undefined) {
    const { username, password } = facts.pushLogin;
    const opened = seals.open(registryLoginThing(facts.org.id, "push"), password).toString();
    return { plan: withAuth({ username, password: opened }), login: undefined };
  }
  if (registry?.auth !== "token") return { plan, login: undefined };
  const { repository } = target;
  const login = makeJobLogin(jobId, [{ repository, actions: ["pull", "push"] }]);
  return { plan: withAuth(login.ociauth), login: login.stored };
}
