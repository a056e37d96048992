import path from "node:path";
import type { Packed } from "../../artifacts/pack-request.ts";
import type { Provenance } from "../../artifacts/provenance.ts";
import { type Pushed, type PushRequest, pushTold } from "../../artifacts/push-request.ts";
import { readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { secretsOf } from "../../registry/login-of.ts";
import { buildClassOf, buildFailure, endReasons } from "./build-failure.ts";
import type { BuildContext, Proved } from "./builder.ts";

type Built = {
  readonly archive: string;
  readonly packed: Packed;
  readonly proved: Proved;
  readonly provenance: Provenance;
};

const mostToldBytes = 2 ** 16;

/**
 * Pushes an artifact by a child of this program that runs as the job's user. The child outlives the agent, and an agent
 * that goes on hears what it did. Throws JobFailure.
 */
export async function pushBuild(
  { job, run: { target, tag }, env }: BuildContext,
  { archive, packed, proved, provenance }: Built,
): Promise<Pushed> {
  const { secrets, workspace, owner } = job.directories;
  const { identity, origin, repository } = target;
  if (identity.kind === "login") secretsOf(identity.login).forEach(job.addSecret);
  const told = path.join(secrets, "push.told");
  const file = path.join(secrets, "push.json");
  const { artifactType, config, layer, annotations } = proved;
  const title = layer.title === undefined ? {} : { "org.opencontainers.image.title": layer.title };
  const request: PushRequest = {
    registry: { origin, repository },
    identity,
    tag,
    artifact: {
      artifactType,
      config,
      layer: {
        file: archive,
        mediaType: layer.mediaType,
        digest: packed.digest,
        size: packed.size,
        annotations: title,
      },
      annotations,
    },
    provenance,
    told,
  };
  await writeJobFileOnce(file, JSON.stringify(request), owner);
  const end = await job.run({
    key: "push",
    step: "push",
    argv: ["svc-agent", "artifact", "push", file],
    cwd: workspace,
    env: { ...env, NODE_USE_ENV_PROXY: "1" },
  });
  const said = await readJobText(told, owner, mostToldBytes);
  const answer = said === "" ? undefined : pushTold.parse(JSON.parse(said));
  if (answer !== undefined && "digest" in answer) return answer;
  const where = `${origin.replace(/^https?:\/\//, "")}/${repository}:${tag}`;
  if (answer !== undefined) {
    const words = `It cannot be pushed to ${where}: ${job.redact(answer.words)}.`;
    throw buildFailure(words, buildClassOf(answer.class));
  }
  const reason = endReasons[end.why] ?? "build_failed";
  throw new JobFailure(`It cannot be pushed to ${where}: the push ${end.words}.`, { reason });
}
