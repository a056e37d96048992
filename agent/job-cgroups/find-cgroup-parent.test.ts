import { describe, expect, test } from "vitest";
import { ownCgroup } from "./find-cgroup-parent.ts";

const mount = (root: string, place: string, type = "cgroup2"): string =>
  `35 25 0:30 ${root} ${place} rw,nosuid shared:9 - ${type} cgroup rw\n`;

describe("a process's own cgroup", () => {
  test.each([
    [
      "of a host",
      mount("/", "/sys/fs/cgroup"),
      "/system.slice/a.service",
      "/sys/fs/cgroup/system.slice/a.service",
    ],
    ["of the first", mount("/", "/sys/fs/cgroup"), "/", "/sys/fs/cgroup"],
    [
      "beside version 1",
      mount("/", "/sys/fs/cgroup/memory", "cgroup") + mount("/", "/u"),
      "/x",
      "/u/x",
    ],
    [
      "of a container that is shown its part",
      mount("/docker/1", "/c"),
      "/docker/1/agent",
      "/c/agent",
    ],
    ["at a place with a space", mount("/", "/my\\040cgroups"), "/x", "/my cgroups/x"],
  ])("is found: %s", (_, mounts, group, folder) => {
    expect(ownCgroup(`${mount("/", "/dev", "tmpfs")}${mounts}`, `4:memory:/y\n0::${group}\n`)).toBe(
      folder,
    );
  });

  test("is none where there is no version 2, or it lies outside of what is shown", () => {
    expect(ownCgroup(mount("/", "/c", "cgroup"), "0::/x\n")).toBeUndefined();
    expect(ownCgroup(mount("/", "/c"), "4:memory:/y\n")).toBeUndefined();
    expect(ownCgroup(mount("/docker/1", "/c"), "0::/docker/2\n")).toBeUndefined();
    expect(ownCgroup(mount("/", "/c"), "0::/../other\n")).toBeUndefined();
  });
});
