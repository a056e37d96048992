import { z } from "@hono/zod-openapi";

const shutdown = {
  shutdown_id: z.string(),
  deadline: z.string().openapi({ description: "When executions that still run are killed." }),
};

/** What a process is told with every answer; it acts on the words it knows and repeats nothing it has done. */
export const processOrderSchema = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("cancel"),
      execution_id: z.string(),
      job_id: z.string(),
      reason: z.enum(["cancelled", "timed-out", "forced", "lost"]),
    }),
    z.object({ type: z.literal("drain"), ...shutdown }),
    z.object({ type: z.literal("force"), ...shutdown }),
    z.object({ type: z.literal("restart"), ...shutdown }),
    z.object({ type: z.literal("re-register") }),
    z.object({ type: z.literal("settings"), version: z.int() }),
  ])
  .openapi("ProcessOrder");
export type ProcessOrder = z.infer<typeof processOrderSchema>;

/** Names an order, so that a process can say that it knows it. */
export function orderKey(order: ProcessOrder): string {
  if (order.type === "cancel") return order.execution_id;
  return order.type === "re-register" || order.type === "settings" ? order.type : order.shutdown_id;
}
