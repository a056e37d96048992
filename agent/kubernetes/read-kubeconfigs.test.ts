import { describe, expect, test } from "vitest";
import { readKubeconfigs } from "./read-kubeconfigs.ts";

const one = (members: object): string => JSON.stringify({ apiVersion: "v1", ...members });
const clusterOf = (server: string, more: object = {}) => ({
  clusters: [{ name: "prod", cluster: { server, ...more } }],
});
const rest = {
  contexts: [{ name: "at-prod", context: { cluster: "prod", user: "me", namespace: "shop" } }],
  users: [{ name: "me", user: { tokenFile: "token" } }],
};

function reading(files: Readonly<Record<string, string>>) {
  return async (file: string): Promise<string> => await Promise.resolve(files[file] ?? "");
}

describe("kubeconfigs in several files", () => {
  test("are read as one, and of what two have, the first counts", async () => {
    const found = await readKubeconfigs(
      "/gone:/first/config::/second/config",
      reading({
        "/first/config": one({ ...clusterOf("https://first", { "certificate-authority": "ca" }) }),
        "/second/config": one({
          ...clusterOf("https://second"),
          ...rest,
          "current-context": "at-prod",
        }),
      }),
    );
    expect(found).toEqual({
      cluster: { server: "https://first", "certificate-authority": "/first/ca" },
      user: { tokenFile: "/second/token" },
      namespace: "shop",
    });
  });

  test("may be one alone, and are none where no file has anything", async () => {
    const text = one({ ...clusterOf("https://first"), ...rest, "current-context": "at-prod" });
    const found = await readKubeconfigs("/first/config", reading({ "/first/config": text }));
    expect(found).toMatchObject({ user: { tokenFile: "/first/token" }, namespace: "shop" });
    expect(await readKubeconfigs("/gone:/gone-too", reading({}))).toBeUndefined();
  });

  test("are refused with the member that is wrong in one of them", async () => {
    const files = {
      "/a": one({ clusters: "many", "current-context": "at-prod" }),
      "/b": one(rest),
    };
    await expect(readKubeconfigs("/a:/b", reading(files))).rejects.toThrow(/clusters: /);
  });
});
