import type { ConfigFaultCode } from "./config-fault.ts";

/** Why a file cannot be read. */
export type FileFault = {
  readonly code: ConfigFaultCode;
  readonly detail: string;
  /** There is no file of that name: it may be elsewhere. */
  readonly isAbsent?: boolean;
};
