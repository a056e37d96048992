import { z } from "zod";
import type { KubeUser } from "../kubernetes/read-kubeconfig.ts";

const text = z.string();

/** What the agent writes for the front of a job, which runs as the job's user. Kept in memory because it holds secrets. */
export const frontOrder = z.object({
  broker: z.object({ url: text, token: text, chartId: text }),
  cluster: z.object({
    server: text,
    tls: z.object({
      ca: text.optional(),
      servername: text.optional(),
      rejectUnauthorized: z.literal(false).optional(),
    }),
    proxyEnv: z.record(text, text),
    /** The cluster of the kubeconfig, with the contents of the files that it names. */
    user: z.custom<KubeUser>((given) => typeof given === "object" && given !== null),
  }),
  /** The namespace of requests that name none. */
  namespace: text,
  /** Where the front writes the kubeconfig for helm once it listens. */
  kubeconfig: text,
  /** Where its port, secret, key and certificate are kept, so that a front after a restart can serve the same helm. */
  place: text,
});
export type FrontOrder = z.infer<typeof frontOrder>;
