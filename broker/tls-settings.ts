import { z } from "zod";
import { OperatorError } from "../shared/operator-error.ts";

/** Where the broker's own certificate and its key are. */
export type TlsConfig = { readonly certFile: string; readonly keyFile: string };

/** The settings of a broker that serves HTTPS itself. */
export const tlsSettings = {
  SVC_TLS_CERT_FILE: {
    schema: z.string().min(1).optional(),
    doc: "File with a PEM certificate chain. With it and the key, the broker serves HTTPS itself.",
  },
  SVC_TLS_KEY_FILE: {
    schema: z.string().min(1).optional(),
    doc: "File with the certificate's private key, in PEM.",
  },
} as const;

type Read = {
  readonly SVC_TLS_CERT_FILE?: string | undefined;
  readonly SVC_TLS_KEY_FILE?: string | undefined;
};

/** Both files, or neither; an OperatorError for one alone. */
export function tlsOf({
  SVC_TLS_CERT_FILE: certFile,
  SVC_TLS_KEY_FILE: keyFile,
}: Read): TlsConfig | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    throw new OperatorError("Set both SVC_TLS_CERT_FILE and SVC_TLS_KEY_FILE, or neither.");
  }
  return { certFile, keyFile };
}
