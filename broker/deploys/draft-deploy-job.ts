import type { RunnerJobOperation, RunnerJobType } from "../../shared/runner-job-types.ts";
import { newId } from "../database/new-id.ts";
import type { Acting } from "../install-roles/choose-role.ts";
import { draftRoleUsage } from "../install-roles/draft-role-usage.ts";
import type { FixedLogin } from "../registry/find-fixed-login.ts";
import { registryLoginThing } from "../registry/keep-registry-logins.ts";
import { makeJobLogin } from "../registry/make-job-login.ts";
import { makePullLogin } from "../registry/make-pull-login.ts";
import type { Seals } from "../seals/seals.ts";
import { draftJobOfStep } from "../workflows/draft-job-of-step.ts";
import type { KindEnvironment } from "../workflows/kinds/kind-environment.ts";
import type { DeployRow } from "../workflows/machine/deploy-rows.ts";
import type { JobDraft, WorkflowDraft } from "../workflows/machine/workflow-draft.ts";
import type { Step } from "../workflows/machine/workflow-rows.ts";

type OfJob = {
  readonly step: Step;
  readonly deploy: DeployRow;
  readonly type: RunnerJobType;
  readonly operation: RunnerJobOperation;
  /** Without a login. */
  readonly text: string;
  /** Its masked twin. */
  readonly shown: string;
  readonly names: readonly string[];
  readonly timeoutNs: number;
};

/** A job of a deploy, or of a run of the sandbox, with its login to where the artifact is. */
export function draftDeployJob(
  env: KindEnvironment,
  { workflow }: Pick<WorkflowDraft, "workflow">,
  { step, deploy, type, operation, text, shown, names, timeoutNs }: OfJob,
): JobDraft {
  const { facts, seals } = env;
  const id = newId("job");
  const signedIn = withLogin(env, id, text);
  const { login } = signedIn;
  const { plan, pullLogin } = withPullLogin(env, { operation, text: signedIn.plan });
  const metadata = {
    install_id: facts.install.id,
    app_id: facts.app.id,
    ...(deploy.app_config_id !== null && { app_config_id: deploy.app_config_id }),
    ...(deploy.component_id !== null && { component_id: deploy.component_id }),
    ...(deploy.build_id !== null && { component_build_id: deploy.build_id }),
  };
  const of = {
    id,
    orgId: facts.org.id,
    runnerId: facts.runner.id,
    workflow,
    step,
    shown,
    login,
    pullLogin,
    roleUsage: draftRoleUsage(facts.config, actingOf(deploy)),
  };
  return draftJobOfStep(seals, of, {
    type,
    operation,
    ownerId: deploy.id,
    ownerType: deploy.component_id === null ? "install_sandbox_runs" : "install_deploys",
    metadata,
    plan,
    planNames: names,
    executionTimeout: timeoutNs,
  });
}

function actingOf({ type, component_id: id, component_name: component }: DeployRow): Acting {
  const isDeploy = type === "apply" || type === "recover" || type === "sync-image";
  const operation = isDeploy ? "deploy" : type;
  return { operation, ...(id === null ? { sandbox: true } : { component }) };
}

/** How the plan of what writes such a Secret begins, as `planDeploy` writes it: a teardown's is `removed`. */
const pullSecretStart = '{"pull_secret":{';
const pullSecretMember = /^\{"pull_secret":\{"name":"[^"]*","server":"[^"]*","place":"([^"]*)"/;

type OfPlan = { readonly operation: RunnerJobOperation; readonly text: string };

/** What applies writes the Secret: its plan has the login that the clusters of the install get. */
function withPullLogin({ facts, seals, deploys }: KindEnvironment, { operation, text }: OfPlan) {
  const { registry, pullLogin: fixed } = deploys ?? {};
  const [, place] = (operation === "apply-plan" && pullSecretMember.exec(text)) || [];
  if (place === undefined || registry === undefined) return { plan: text, pullLogin: undefined };
  const withAuth = (login: object): string =>
    `${pullSecretStart}"login":${JSON.stringify(login)},${text.slice(pullSecretStart.length)}`;
  if (registry.auth === "fixed" && fixed !== undefined)
    return { plan: withAuth(openedLogin(seals, facts.org.id, fixed)), pullLogin: undefined };
  if (registry.auth !== "token") return { plan: text, pullLogin: undefined };
  const made = makePullLogin(facts.install.id, place);
  return { plan: withAuth(made.login), pullLogin: made.stored };
}

/** A login of an org, as it is told to who pulls by it. */
function openedLogin(seals: Seals, orgId: string, { username, password }: FixedLogin) {
  const opened = seals.open(registryLoginThing(orgId, "pull"), password).toString();
  return { username, password: opened };
}

/** Where a plan says from which registry it pulls: as `planDeploy` writes it, before anything that somebody gave. */
const registryMembers = /"src_registry":\{|"oci_source":\{"registry":\{/;
const textOf = (member: string) => new RegExp(`"${member}":("(?:[^"\\\\]|\\\\.)*")`);
const [serverMember, repositoryMember] = [textOf("loginServer"), textOf("repository")];

/** The plan with a login that pulls what it names, where the registry asks for one. The rest stays as it is, byte for byte. */
function withLogin({ facts, seals, deploys }: KindEnvironment, jobId: string, text: string) {
  const { registry, pullLogin } = deploys ?? {};
  const found = registryMembers.exec(text);
  if (found === null || registry === undefined) return { plan: text, login: undefined };
  const at = found.index + found[0].length;
  const [, server] = serverMember.exec(text.slice(at)) ?? [];
  if (server === undefined || JSON.parse(server) !== registry.server)
    return { plan: text, login: undefined }; // it is no login of there
  const withAuth = (ociauth: object): string =>
    `${text.slice(0, at)}"ociauth":${JSON.stringify(ociauth)},${text.slice(at)}`;
  if (registry.auth === "fixed" && pullLogin !== undefined)
    return { plan: withAuth(openedLogin(seals, facts.org.id, pullLogin)), login: undefined };
  const [, repository] = repositoryMember.exec(text.slice(at)) ?? [];
  if (registry.auth !== "token" || repository === undefined)
    return { plan: text, login: undefined };
  const pull = [{ repository: JSON.parse(repository) as string, actions: ["pull"] }];
  const login = makeJobLogin(jobId, pull);
  return { plan: withAuth(login.ociauth), login: login.stored };
}
