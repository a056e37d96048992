import { createHash } from "node:crypto";
import path from "node:path";
import { readObjects } from "../../kubernetes/read-objects.ts";
import { folderWithin } from "../../sources/folder-within.ts";
import { buildKustomization } from "../manifests/build-kustomization.ts";
import { asBuildFailure } from "./build-failure.ts";
import type { ManifestBuild } from "./build-run.ts";
import type { BuildContext, Builder, Proved } from "./builder.ts";
import { packArtifact } from "./pack-artifact.ts";
import { placehold } from "./template-placeholders.ts";

const manifestName = "manifest.yaml";

/**
 * A manifest: the plan's own, or what kustomize makes of a folder, so that a deploy needs neither kustomize nor what the
 * folder refers to.
 */
export const buildManifest: Builder = async (context) => {
  const { job, run, source } = context;
  const given = run.plan.kubernetes_manifest_build_plan ?? {};
  const looked =
    source &&
    (await packArtifact(job, "look", {
      // Without its own look at where links lead, kustomize follows them.
      ...(given.kustomize_config?.load_restrictor === "none" && { within: source.folder }),
      parts: [{ ...whole, from: source.directory }],
      texts: [],
      files: [],
      ...noTemplates,
    }));
  try {
    const text = source === undefined ? (given.inline_manifest ?? "") : await kustomized(context);
    await check(context, text);
    return {
      pack: {
        parts: [],
        texts: [{ name: manifestName, text }],
        files: [],
        templates: [manifestName],
      },
      members: {
        source_type: source === undefined ? "inline" : "kustomize",
        kustomize_path: given.kustomize_path || null,
        kustomize_config: withoutPatches(given.kustomize_config),
      },
      ...(looked !== undefined && { sourceChecksum: looked.sourceChecksum }),
      isMade: source !== undefined,
      prove: async () => await Promise.resolve(proved),
    };
  } catch (error) {
    throw asBuildFailure(error);
  }
};

/** A patch may hold secrets, and its provenance is for everybody. */
function withoutPatches(given: ManifestBuild["kustomize_config"]) {
  if (given == null) return null;
  const { enable_helm, load_restrictor, patches } = given;
  return {
    enable_helm: enable_helm ?? false,
    load_restrictor: load_restrictor || "rootOnly",
    patches: (patches ?? []).map((patch) => createHash("sha256").update(patch).digest("hex")),
  };
}

const whole = { to: "", isSource: true, leaveOut: [], followsLinks: false };
const noTemplates = { templates: [], planTexts: [], brands: [] };

async function kustomized({ job, run, source, env, byGit }: BuildContext): Promise<string> {
  const given: ManifestBuild = run.plan.kubernetes_manifest_build_plan ?? {};
  if (source === undefined) return "";
  const { directory, folder } = source;
  const place = await folderWithin(directory, given.kustomize_path ?? "", "The kustomization");
  const patches = given.kustomize_config?.patches ?? [];
  for (const patch of patches.filter((one) => !/[\n:{]/.test(one)))
    await folderWithin(folder, path.dirname(path.resolve(place, patch)), `The patch ${patch}`);
  const config = { ...given.kustomize_config, patches };
  const [built] = await byGit(
    async (variables) =>
      await buildKustomization(job, config, { folder, place, env: { ...env, ...variables } }),
  );
  return built?.text ?? "";
}

/** Faults are told with document and line, as a deploy would tell them. Throws JobFailure. */
async function check({ job, run }: BuildContext, given: string): Promise<void> {
  const { text, hasTemplates, hasBlocks } = placehold(given, run.brands);
  if (!hasBlocks) return void (await readObjects([{ name: manifestName, text }]));
  if (!hasTemplates) return;
  const words = "Its templates decide which objects there are: they are read when it is deployed.";
  job.log(words, "info", "build", "unread");
}

const proved: Proved = {
  artifactType: "application/vnd.svc.kubernetes-manifest.v1",
  config: { mediaType: "application/vnd.oci.empty.v1+json", text: "{}" },
  layer: { mediaType: "application/vnd.oci.image.layer.v1.tar+gzip", title: "manifest.tar.gz" },
  annotations: {},
  outputs: {},
};
