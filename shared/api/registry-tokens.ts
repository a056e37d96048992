import { z } from "@hono/zod-openapi";
import { registryAuths } from "../registry-auths.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

const tags = ["Registry"];
const word = z.string().max(512).optional();
const scope = z.string().max(4096);

const registryTokenSchema = z
  .object({
    token: z.string().describe("A JWT that the registry takes as a bearer's."),
    access_token: z.string().describe("The same as `token`."),
    expires_in: z.int().describe("Seconds, 300 at most."),
    issued_at: z.iso.datetime(),
  })
  .openapi("RegistryToken");

const registrySchema = z
  .object({
    host: z.string().describe("As image names begin: `registry.example.com:5000`."),
    repositories: z.string().describe("What all repositories of this org begin with."),
    is_plain: z.boolean().describe("It is spoken to without TLS."),
    auth: z
      .enum(registryAuths)
      .describe(
        "`token`: it takes tokens of this broker. `none`: it asks for no login. `fixed`: it has logins of its own.",
      ),
    keeps_builds: z
      .int()
      .describe(
        "How many builds of a component are kept besides those that are needed; 0: all are.",
      ),
    keeps_artifacts: z
      .string()
      .describe(
        "Why the registry did not delete artifacts that the broker asked it to; empty where it did.",
      ),
  })
  .openapi("Registry");

export const getRegistryRoute = createRoute("getRegistry", {
  get: "/v1/registry",
  rule: { surface: "control-plane", permission: "apps.read" },
  tags,
  summary: "Get where artifacts of builds are",
  description: "404 where no registry is set: SVC_REGISTRY.",
  responses: { 200: json(registrySchema, "The registry.") },
});

export const getRegistryTokenRoute = createRoute("getRegistryToken", {
  get: "/v1/registry/token",
  rule: { surface: "open", permission: null },
  tags,
  summary: "Get a token for the registry of artifacts",
  description:
    "The token server of the registry, as the distribution project's token protocol has it: a client comes here by itself when the registry asks it to. HTTP Basic: the login of a job, or any user name with a token of the org as the password. The token opens what was asked for and is allowed, which may be nothing.",
  query: z.object({
    service: word.openapi({
      description: "What the registry calls itself: its host, and its port.",
    }),
    scope: z
      .union([scope, z.array(scope).max(64)])
      .optional()
      .openapi({
        description: "`repository:NAME:pull,push`; several, up to 16 repositories.",
      }),
    account: word.openapi({ description: "Ignored: the login says who asks." }),
    client_id: word.openapi({ description: "Ignored." }),
    offline_token: word.openapi({ description: "Ignored: there are no refresh tokens." }),
  }),
  responses: { 200: json(registryTokenSchema, "The token.") },
});

export const getRegistryKeysRoute = createRoute("getRegistryKeys", {
  get: "/v1/registry/keys",
  rule: { surface: "open", permission: null },
  tags,
  summary: "List the keys that tokens for the registry are checked by",
  description:
    "A JSON Web Key Set of public keys, with that of the next 90 days: a registry that reads it once in 90 days always knows the key.",
  responses: {
    200: json(
      z
        .object({
          keys: z.array(
            z.object({
              kty: z.literal("EC"),
              crv: z.literal("P-256"),
              x: z.string(),
              y: z.string(),
              kid: z.string(),
              alg: z.literal("ES256"),
              use: z.literal("sig"),
            }),
          ),
        })
        .openapi("RegistryKeys"),
      "The keys.",
    ),
  },
});
