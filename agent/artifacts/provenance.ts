import { z } from "zod";

/** What is known of a build that its artifact does not say. */
export const provenance = z.object({
  /** The artifact's name: its repository. */
  name: z.string(),
  /** The job type. */
  kind: z.string(),
  /** The members of the plan that decide what is in it. */
  members: z.record(z.string(), z.unknown()),
  labels: z.record(z.string(), z.string()),
  /** Where the source lies, without credentials, and its revision. */
  source: z.object({ uri: z.string(), revision: z.string() }).optional(),
  /** The images that it is made of, by what registries call them. */
  images: z.array(z.object({ uri: z.string(), revision: z.string() })).optional(),
  ids: z.record(z.string(), z.string()),
  /** Of the agent. */
  version: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
});
export type Provenance = z.infer<typeof provenance>;

export const provenanceType = "application/vnd.in-toto+json";

/** An in-toto statement of SLSA provenance for the artifact with this digest. */
export function provenanceStatement(of: Provenance, digest: string): string {
  const [algorithm = "", value = ""] = digest.split(":");
  const { name, kind, members, labels, source, images, ids, version, startedAt, finishedAt } = of;
  return JSON.stringify({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name, digest: { [algorithm]: value } }],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `urn:svc:build:${kind}:v1`,
        externalParameters: { ...members, ...(Object.keys(labels).length > 0 && { labels }) },
        internalParameters: ids,
        resolvedDependencies: [...(source === undefined ? [] : [source]), ...(images ?? [])].map(
          dependencyOf,
        ),
      },
      runDetails: {
        builder: { id: "urn:svc:agent", version: { svc: version } },
        metadata: {
          invocationId: ids["runner_job_execution_id"] ?? "",
          startedOn: startedAt,
          finishedOn: finishedAt,
        },
      },
    },
  });
}

function dependencyOf({ uri, revision }: NonNullable<Provenance["source"]>) {
  const [, value] = /^sha256:([0-9a-f]{64})$/.exec(revision) ?? [];
  const isCommit = /^[0-9a-f]{40}$|^[0-9a-f]{64}$/.test(revision);
  const digest = isCommit ? { gitCommit: revision } : value === undefined ? {} : { sha256: value };
  return { uri, digest };
}
