import type { Handler } from "../../jobs/handler.ts";
import { copyOrder } from "./copy-order.ts";
import { doImageOrder } from "./do-image-order.ts";
import { metadataOrder } from "./metadata-order.ts";
import { pullOrder } from "./pull-order.ts";

const readers = {
  "oci-sync": copyOrder,
  "fetch-image-metadata": metadataOrder,
  "container-image-build": pullOrder,
} as const;

/** Images and artifacts in registries: copied as they are, looked at, or taken over from others. */
export const images: Handler = {
  types: ["oci-sync", "fetch-image-metadata", "container-image-build"],
  validate: (plan, { type }) => {
    const read = readers[type as keyof typeof readers]; // its types are those of the handler
    const wanted = read(plan);
    return {
      needsDirectories: true,
      execute: async (job) => await doImageOrder(job, wanted),
    };
  },
};
