import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";

export type ClusterPlan = {
  /** Files by their names in the cluster's folder. */
  readonly files: Readonly<Record<string, string>>;
  /** The programs in the order in which they start; each part after the second needs the first two. */
  readonly parts: readonly { readonly program: string; readonly args: string[] }[];
};

/** The files and command lines of a cluster that lives in one folder and on four ports of the loopback. */
export function planCluster(folder: string, ports: readonly number[]): ClusterPlan {
  const [etcdPort = 0, peerPort = 0, port = 0, kubeletPort = 0] = ports;
  const at = (name: string): string => path.join(folder, name);
  const etcd = `http://127.0.0.1:${etcdPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const token = randomBytes(24).toString("hex");
  const certificates = at("certificates");
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const certificate = path.join(certificates, "apiserver.crt");
  const kubeconfig = at("kubeconfig");
  return {
    files: {
      "tokens.csv": `${token},admin,admin,"system:masters"\n`,
      "accounts.key": privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
      "accounts.pub": publicKey.export({ type: "spki", format: "pem" }).toString(),
      kubeconfig: kubeconfigOf({ server: `https://127.0.0.1:${port}`, certificate, token }),
      "scheduler.json": schedulerConfig(kubeconfig),
      "kwok.yaml": readFileSync(path.join(import.meta.dirname, "stages.yaml"), "utf8"),
    },
    parts: [
      {
        program: "etcd",
        args: flags({
          "data-dir": at("etcd"),
          "unsafe-no-fsync": "true",
          "listen-client-urls": etcd,
          "advertise-client-urls": etcd,
          "listen-peer-urls": peer,
          "initial-advertise-peer-urls": peer,
          "initial-cluster": `default=${peer}`,
          "log-level": "error",
        }),
      },
      {
        program: "kube-apiserver",
        args: flags({
          "etcd-servers": etcd,
          "bind-address": "127.0.0.1",
          "secure-port": String(port),
          "cert-dir": certificates,
          "token-auth-file": at("tokens.csv"),
          "authorization-mode": "RBAC",
          "service-account-issuer": "https://kubernetes.default.svc",
          "service-account-key-file": at("accounts.pub"),
          "service-account-signing-key-file": at("accounts.key"),
          "service-cluster-ip-range": "10.0.0.0/16",
          // It would tell others an address of this machine; nobody in the cluster is there to go to it.
          "endpoint-reconciler-type": "none",
          "kubelet-preferred-address-types": "InternalIP",
        }),
      },
      {
        program: "kube-controller-manager",
        args: flags({
          kubeconfig,
          "leader-elect": "false",
          "secure-port": "0",
          "service-account-private-key-file": at("accounts.key"),
          "root-ca-file": certificate,
          "kube-api-qps": "200",
          "kube-api-burst": "400",
          // A machine that does much else besides must not lose its node.
          "node-monitor-grace-period": "1h",
        }),
      },
      {
        program: "kube-scheduler",
        args: flags({ config: at("scheduler.json"), "secure-port": "0" }),
      },
      {
        program: "kwok",
        args: flags({
          kubeconfig,
          config: at("kwok.yaml"),
          "manage-all-nodes": "true",
          "node-lease-duration-seconds": "40",
          "enable-crds": "Logs,ClusterLogs",
          "node-ip": "127.0.0.1",
          "node-port": String(kubeletPort),
          "server-address": `127.0.0.1:${kubeletPort}`,
          "tls-cert-file": certificate,
          "tls-private-key-file": path.join(certificates, "apiserver.key"),
        }),
      },
    ],
  };
}

function flags(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}

type Access = { readonly server: string; readonly certificate: string; readonly token: string };

function kubeconfigOf({ server, certificate, token }: Access): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority": certificate } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "admin", context: { cluster: "test", user: "admin" } }],
    "current-context": "admin",
  });
}

function schedulerConfig(kubeconfig: string): string {
  return JSON.stringify({
    apiVersion: "kubescheduler.config.k8s.io/v1",
    kind: "KubeSchedulerConfiguration",
    leaderElection: { leaderElect: false },
    clientConnection: { kubeconfig, qps: 200, burst: 400 },
  });
}
