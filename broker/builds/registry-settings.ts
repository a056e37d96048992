import { z } from "zod";

/** Where artifacts of builds are kept. */
export type RegistryConfig = {
  /** `registry.example.com:5000` */
  readonly server: string;
  /** What all repositories begin with; may be empty. */
  readonly prefix: string;
  /** It is spoken to without TLS. */
  readonly isPlain: boolean;
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
    doc: "URL of the OCI registry to which builds push artifacts, with what all repositories begin with: https://registry.example.com/acme. Runners of builds push there without a login. Default: none, and builds end as errors.",
  },
} as const;

/** The registry of this setting, if there is one. */
export const registryOf = (text: string | undefined): RegistryConfig | undefined =>
  text === undefined ? undefined : placeOf(text);

function placeOf(text: string): RegistryConfig | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const prefix = url.pathname.replaceAll(/^\/+|\/+$/g, "");
  const isBare = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!/^https?:$/.test(url.protocol) || !isBare) return undefined;
  if (prefix !== "" && !path.test(prefix)) return undefined;
  return { server: url.host, prefix, isPlain: url.protocol === "http:" };
}
