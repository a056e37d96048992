import { z } from "zod";
import { openBrokerRecords } from "../../helm-front/broker-records.ts";
import { unpackRelease } from "../../helm-front/secret-record.ts";
import { FrontRefusal } from "../../helm-front/status-answer.ts";
import type { Job } from "../../jobs/handler.ts";
import type { Cluster } from "../../kubernetes/cluster.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import type { HelmRun } from "./helm-run.ts";

/** One revision of a release. */
export type Revision = {
  readonly revision: number;
  /** Helm's own name for its status. */
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  /** When it was first stored, by the clock of the store. */
  readonly madeAt?: string | undefined;
};

/** Helm's records of one release, read without helm, in any store. */
export type ReleaseRecords = {
  /** Its revisions, unordered. Throws JobFailure or ApiRefusal. */
  readonly list: () => Promise<Revision[]>;
  /** The manifests of one revision, including its hooks. Throws JobFailure or ApiRefusal. */
  readonly manifests: (revision: number) => Promise<string[]>;
  /** Sets labels of one revision, and removes those that are null. Throws JobFailure or ApiRefusal. */
  readonly label: (revision: number, labels: Labels) => Promise<void>;
  readonly close: () => void;
};

type Labels = Readonly<Record<string, string | null>>;

const release = z.looseObject({
  manifest: z.string().nullish(),
  hooks: z.array(z.looseObject({ manifest: z.string().nullish() })).nullish(),
});

/** All manifests in helm's record of a release. */
export function manifestsOf(given: unknown): string[] {
  const { manifest, hooks } = release.parse(given);
  return [manifest ?? "", ...(hooks ?? []).map((hook) => hook.manifest ?? "")];
}

type Kept = Pick<HelmRun, "name" | "namespace" | "driver" | "chartId">;

const recordName = (name: string, revision: number): string =>
  `sh.helm.release.v1.${name}.v${revision}`;

const absent = (): Error =>
  deployFailure("The deployed release cannot be read: its record does not exist.", "not_found");

const mostInClusterBytes = 64 * 2 ** 20;

/** Records in Secrets or ConfigMaps of the cluster. */
export function recordsInCluster(cluster: Cluster, kept: Kept): ReleaseRecords {
  const { name, namespace, driver } = kept;
  const isSecret = driver !== "configmap";
  const [kind, plural] = isSecret ? ["Secret", "secrets"] : ["ConfigMap", "configmaps"];
  const resource = { apiVersion: "v1", kind, plural, isNamespaced: true };
  return {
    list: async () => {
      const query = { labelSelector: `owner=helm,name=${name}` };
      const found = await cluster.listNames(resource, namespace, query);
      return found.map(({ metadata: { labels = {}, creationTimestamp } }) => ({
        revision: Number(labels["version"]),
        status: labels["status"] ?? "unknown",
        labels,
        madeAt: creationTimestamp,
      }));
    },
    manifests: async (revision) => {
      const ref = { apiVersion: "v1", kind, namespace, name: recordName(name, revision) };
      const live = await cluster.get({ ref, resource });
      const data = live?.["data"] as Record<string, string> | undefined; // as the API has it
      const packed = data?.["release"];
      if (packed === undefined) throw absent();
      const text = isSecret ? Buffer.from(packed, "base64").toString("latin1") : packed;
      try {
        return manifestsOf(JSON.parse(unpackRelease(text, mostInClusterBytes)));
      } catch {
        const words = `The deployed release cannot be read: ${ref.name} is not a helm record, or has more than 64 MiB.`;
        throw deployFailure(words, "config_invalid");
      }
    },
    label: async (revision, labels) => {
      const ref = { apiVersion: "v1", kind, namespace, name: recordName(name, revision) };
      await cluster.merge({ ref, resource }, { metadata: { labels } });
    },
    close: () => {},
  };
}

const atBroker = z.looseObject({
  version: z.int(),
  info: z.looseObject({ status: z.string(), last_deployed: z.string().optional() }),
  labels: z.record(z.string(), z.string()).nullish(),
});

/** Records that the broker keeps. `token` is the job's. */
export function recordsAtBroker(job: Job, token: string, kept: Kept): ReleaseRecords {
  const { brokerUrl: url = "", caFile, env } = job.agent.config;
  const { name, namespace, chartId } = kept;
  const way = { env, caFile, signal: job.signal };
  const records = openBrokerRecords({ url, token, chartId }, way);
  return {
    list: async () => {
      const found: Revision[] = [];
      try {
        // Only these members are kept: whole records may be very long.
        for await (const record of records.list(namespace, { owner: "helm", name })) {
          const { version: revision, info, labels } = atBroker.parse(record);
          const { status, last_deployed: madeAt } = info;
          found.push({ revision, status, labels: ownLabels(labels ?? {}), madeAt });
        }
      } catch (error) {
        asFailure(error);
      }
      return found;
    },
    manifests: async (revision) => {
      const key = recordName(name, revision);
      const found = await records.read({ namespace, key }).catch(asFailure);
      if (found === undefined) throw absent();
      return manifestsOf(found);
    },
    label: async (revision, labels) => {
      const place = { namespace, key: recordName(name, revision) };
      const found = atBroker.parse(await records.read(place).catch(asFailure));
      const all = Object.entries({ ...found.labels, ...labels });
      const kept = Object.fromEntries(all.filter(([, value]) => value !== null));
      await records.replace(place, JSON.stringify({ ...found, labels: kept })).catch(asFailure);
    },
    close: records.close,
  };
}

/** The labels by which jobs mark a revision as theirs. */
function ownLabels(labels: Readonly<Record<string, string>>): Revision["labels"] {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => name.startsWith("svc-")));
}

function asFailure(error: unknown): never {
  if (!(error instanceof FrontRefusal)) throw error;
  const words = `The release's history cannot be read: ${error.message.replace(/\.$/, "")}.`;
  throw deployFailure(words, error.code >= 500 ? "network" : "refused");
}
