import { z } from "@hono/zod-openapi";
import { created, is } from "../resources/filters.ts";
import { instant, made, owned, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

/** What a login is for. */
export const loginUses = ["push", "pull"] as const;

export const registryLogins = resource({
  noun: "registry login",
  plural: "logins",
  schema: "RegistryLogin",
  tag: "Registry",
  prefix: "rgl",
  param: "registry_login_id",
  path: "/v1/registry/logins",
  under: [],
  surface: "control-plane",
  read: "apps.read",
  opens: ["list", "get"],
  bound: "path",
  says: {
    list: "List the org's logins to the registry, without their passwords",
    get: "Read a login to the registry, without its password",
  },
  members: {
    ...owned,
    use: word(loginUses, "`push`: of the org's own runners, which build. `pull`: of installs."),
    username: text(),
    created_at: made.created_at,
    updated_at: instant("When it was set."),
    created_by_id: made.created_by_id,
  },
  filters: { ...created, use: is("use", z.enum(loginUses).optional().describe("Of this use.")) },
});
export type RegistryLogin = ItemOf<typeof registryLogins>;

const tags = ["Registry"];
const writing = { surface: "control-plane", permission: "connections.write" } as const;

const newRegistryLoginSchema = z
  .strictObject({
    use: z.enum(loginUses),
    username: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^:]+$/, { error: "must have no colon", abort: true })
      .refine((name) => !/\p{Cc}/u.test(name), "must have no control characters"),
    password: z.string().min(1).max(8192).describe("Sealed, and never shown again."),
  })
  .openapi("NewRegistryLogin", {
    example: { use: "push", username: "acme-builds", password: "…" },
  });
export type NewRegistryLogin = z.infer<typeof newRegistryLoginSchema>;

export const setRegistryLoginRoute = createRoute("setRegistryLogin", {
  post: registryLogins.path,
  rule: { ...writing, idempotent: "replay" },
  tags,
  summary: "Set a login of the org to the registry",
  description:
    "For registries with users of their own (`SVC_REGISTRY_AUTH=fixed`). The password is sealed and cannot be read back. The one of the same use is replaced. Jobs that are enqueued from then on have it in their plans.",
  body: newRegistryLoginSchema,
  responses: { 201: json(registryLogins.itemSchema, "The login.") },
});

export const deleteRegistryLoginRoute = createRoute("deleteRegistryLogin", {
  delete: `${registryLogins.path}/{registry_login_id}`,
  rule: writing,
  tags,
  summary: "Delete a login of the org to the registry, and its password",
  responses: { 200: json(registryLogins.itemSchema, "The login, as it was.") },
});
