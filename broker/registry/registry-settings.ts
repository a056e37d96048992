import { z } from "zod";
import { type RegistryAuth, registryAuths } from "../../shared/registry-auths.ts";

/** Where artifacts of builds are kept. */
export type RegistryConfig = {
  /** `registry.example.com:5000` */
  readonly server: string;
  /** What all repositories begin with; may be empty. */
  readonly prefix: string;
  /** It is spoken to without TLS. */
  readonly isPlain: boolean;
  /** Who says what a caller may do there: nobody, the broker by its tokens, or the registry itself. */
  readonly auth: RegistryAuth;
};

const path = /^[a-z0-9]+(?:[._/-][a-z0-9]+)*$/;

export const registrySettings = {
  SVC_REGISTRY: {
    schema: z
      .string()
      .refine((text) => placeOf(text) !== undefined, {
        error: "must be the http or https URL of a registry, without a user name and a password",
      })
      .optional(),
    doc: "URL of the OCI registry to which builds push artifacts, with what all repositories begin with: https://registry.example.com/acme. Default: none, and builds end as errors.",
  },
  SVC_REGISTRY_AUTH: {
    schema: z
      .enum(registryAuths, { error: `must be one of ${registryAuths.join(", ")}` })
      .default("none"),
    doc: "How jobs sign in to SVC_REGISTRY: none (runners push without a login), token (the registry trusts the tokens that brokers sign, and each job gets a login of its own; docs/registry.md), fixed (each org stores a login for it). Set token or fixed when all brokers know it.",
  },
} as const;

/** The registry of these settings, if there is one. */
export const registryOf = ({
  SVC_REGISTRY: text,
  SVC_REGISTRY_AUTH: auth,
}: {
  readonly SVC_REGISTRY?: string | undefined;
  readonly SVC_REGISTRY_AUTH: RegistryAuth;
}): RegistryConfig | undefined => {
  const place = text === undefined ? undefined : placeOf(text);
  return place && { ...place, auth };
};

function placeOf(text: string): Omit<RegistryConfig, "auth"> | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const prefix = url.pathname.replaceAll(/^\/+|\/+$/g, "");
  const isBare = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!/^https?:$/.test(url.protocol) || !isBare) return undefined;
  if (prefix !== "" && !path.test(prefix)) return undefined;
  return { server: url.host, prefix, isPlain: url.protocol === "http:" };
}
