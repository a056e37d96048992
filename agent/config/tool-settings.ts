import { text, urlOrOff } from "./parsers.ts";
import type { Setting } from "./setting.ts";

/** Where the tools of jobs come from. */
export const toolSettings = {
  "tools-dir": {
    value: "DIR",
    schema: text,
    doc: "Where versions of tools are kept that plans ask for and the PATH has not; tools/ in the data directory, unless told. Agents of a host may share it.",
  },
  "terraform-releases": {
    value: "URL|off",
    schema: urlOrOff,
    byDefault: "https://releases.hashicorp.com/terraform",
    doc: "Where terraform is downloaded in the version that a plan asks for: VERSION/terraform_VERSION_SHA256SUMS and so on below it; off: never.",
  },
  "opentofu-releases": {
    value: "URL|off",
    schema: urlOrOff,
    byDefault: "https://github.com/opentofu/opentofu/releases/download",
    doc: "Where OpenTofu is downloaded: vVERSION/tofu_VERSION_SHA256SUMS and so on below it; off: never.",
  },
  "terraform-key": {
    value: "FILE",
    schema: text,
    doc: "The OpenPGP keys, one of which must have signed the sums of a release of terraform; HashiCorp's, unless told.",
  },
  "opentofu-key": {
    value: "FILE",
    schema: text,
    doc: "The same for OpenTofu; its project's key, unless told.",
  },
} as const satisfies Record<string, Setting>;
