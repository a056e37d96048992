/** What resources may be under: how a path names it, and how its ids begin. */
export const parents = {
  app: { param: "app_id", prefix: "app" },
  install: { param: "install_id", prefix: "ins" },
  webhook: { param: "webhook_id", prefix: "whk" },
} as const;
export type Parent = keyof typeof parents;
