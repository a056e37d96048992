import { text, urlOrOff } from "./parsers.ts";
import type { Setting } from "./setting.ts";

/** Settings of the tools of jobs. */
export const toolSettings = {
  "tools-dir": {
    value: "DIR",
    schema: text,
    doc: "Directory for downloaded tool versions that are not on the PATH. Default: tools/ in the data directory. Agents of a host may share it.",
  },
  "terraform-releases": {
    value: "URL|off",
    schema: urlOrOff,
    byDefault: "https://releases.hashicorp.com/terraform",
    doc: "URL for Terraform downloads, with VERSION/terraform_VERSION_SHA256SUMS and so on below it. off: no downloads.",
  },
  "opentofu-releases": {
    value: "URL|off",
    schema: urlOrOff,
    byDefault: "https://github.com/opentofu/opentofu/releases/download",
    doc: "URL for OpenTofu downloads, with vVERSION/tofu_VERSION_SHA256SUMS and so on below it. off: no downloads.",
  },
  "terraform-key": {
    value: "FILE",
    schema: text,
    doc: "File with OpenPGP keys. One of them must have signed the checksums of a Terraform release. Default: HashiCorp's key.",
  },
  "opentofu-key": {
    value: "FILE",
    schema: text,
    doc: "The same for OpenTofu. Default: the key of the OpenTofu project.",
  },
} as const satisfies Record<string, Setting>;
