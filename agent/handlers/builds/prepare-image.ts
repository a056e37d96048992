import path from "node:path";
import { CredentialFault } from "../../credentials/credential-fault.ts";
import { imageFolder } from "../../image-builds/image-folder.ts";
import {
  type PreparedImage,
  type PrepareRequest,
  prepareTold,
  type PrivateRepository,
} from "../../image-builds/prepare-request.ts";
import { readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { secretsOf } from "../../registry/login-of.ts";
import {
  findCredential,
  readRegistryCredentials,
  type RegistryCredential,
} from "../../registry/registry-credentials.ts";
import { RegistryFault } from "../../registry/registry-fault.ts";
import { signIn } from "../../registry/sign-in.ts";
import { buildClassOf, buildFailure, endReasons } from "./build-failure.ts";
import type { BuildContext } from "./builder.ts";
import type { ImagePlan } from "./image-plan.ts";

const mostToldBytes = 2 ** 20;
const mostLogins = 50;

type Request = Omit<PrepareRequest, "told">;

/**
 * Reads the Dockerfile and pulls the images that it names, as the job's user, with a login for those that have one: the
 * job's own for the registry that gets the image, else the agent's owner's. Throws JobFailure.
 */
export async function prepareImage(
  context: BuildContext,
  plan: ImagePlan,
  from: string,
): Promise<PreparedImage> {
  const { job, run } = context;
  const { dockerfile, target, buildArgs, secrets } = plan;
  const { origin, identity } = run.target;
  const credentials = await readOwners(context);
  const own = identity.kind === "nobody" ? [] : [new URL(origin).host];
  const request: Request = {
    folder: imageFolder(job.directories.workspace),
    context: from,
    dockerfile,
    target,
    buildArgs,
    secrets: Object.keys(secrets),
    ownOrigin: origin,
    privates: [...own, ...credentials.map(({ place }) => place)],
    logins: [],
    mostBytes: job.agent.config.buildDisk,
  };
  const first = await ask(context, "prepare", request);
  if ("bases" in first) return first;
  // Only what this Dockerfile needs is written where its job can read it, and it is gone when it was read.
  const logins = await Promise.all(
    first.needs.slice(0, mostLogins).map(async (one) => ({
      ...one,
      login: await loginFor(context, credentials, one),
    })),
  );
  const second = await ask(context, "pull", { ...request, logins });
  if ("bases" in second) return second;
  throw new JobFailure("The image cannot be prepared: its logins are not taken.", {
    reason: "build_failed",
  });
}

async function readOwners({ job }: BuildContext): Promise<readonly RegistryCredential[]> {
  const { registryCredentials: file } = job.agent.config;
  if (file === undefined) return [];
  try {
    return await readRegistryCredentials(file);
  } catch (error) {
    throw authFailure(error);
  }
}

async function loginFor(
  { job, run }: BuildContext,
  credentials: readonly RegistryCredential[],
  repository: PrivateRepository,
): Promise<Request["logins"][number]["login"]> {
  try {
    const found = findCredential(credentials, repository);
    if (repository.origin === run.target.origin && run.target.identity.kind !== "nobody")
      return await signIn(job, run.target);
    const login = (await found?.login()) ?? {};
    for (const secret of secretsOf(login)) job.addSecret(secret);
    return login;
  } catch (error) {
    throw authFailure(error);
  }
}

function authFailure(error: unknown): unknown {
  if (!(error instanceof CredentialFault || error instanceof RegistryFault)) return error;
  const kind = error instanceof RegistryFault ? buildClassOf(error.class) : "auth";
  const words = error.message.replace(/\.$/, "");
  return buildFailure(`The images of the Dockerfile cannot be pulled: ${words}.`, kind);
}

type Answer = PreparedImage | { readonly needs: readonly PrivateRepository[] };

async function ask({ job, env }: BuildContext, key: string, request: Request): Promise<Answer> {
  const { secrets, workspace, owner } = job.directories;
  const told = path.join(secrets, `${key}.told`);
  const file = path.join(secrets, `${key}.json`);
  // One with logins is gone when it was read.
  if (!job.hasBegun(key)) await writeJobFileOnce(file, JSON.stringify({ ...request, told }), owner);
  const end = await job.run({
    key,
    step: "prepare",
    argv: ["svc-agent", "image-build", "prepare", file],
    cwd: workspace,
    env: { ...env, NODE_USE_ENV_PROXY: "1" },
  });
  const said = await readJobText(told, owner, mostToldBytes);
  const answer = said === "" ? undefined : prepareTold.parse(JSON.parse(said));
  if (answer !== undefined && !("class" in answer)) return answer;
  if (answer === undefined) {
    const reason = endReasons[end.why] ?? "build_failed";
    throw new JobFailure(`The image cannot be prepared: it ${end.words}.`, { reason });
  }
  const { dockerfile } = request;
  const place = answer.line === undefined ? dockerfile : `${dockerfile}:${answer.line}`;
  const words = `${place}: ${job.redact(answer.words)}.`;
  throw buildFailure(words, buildClassOf(answer.class), place);
}
