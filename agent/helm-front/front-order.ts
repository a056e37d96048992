import { z } from "zod";
import type { KubeUser } from "../kubernetes/read-kubeconfig.ts";

const text = z.string();

/** What the agent writes down for the front of a job, which reads it as the job's user. In memory: it holds secrets. */
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
    /** As a kubeconfig has it; what it names of files is in it. */
    user: z.custom<KubeUser>((given) => typeof given === "object" && given !== null),
  }),
  /** Of what helm asks for in no namespace. */
  namespace: text,
  /** Where the kubeconfig that leads helm here is written, when somebody listens. */
  kubeconfig: text,
  /** Where it keeps what helm knows it by, for the front that comes after it, whose helm still speaks to this one. */
  place: text,
});
export type FrontOrder = z.infer<typeof frontOrder>;
