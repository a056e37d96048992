import { describe, expect, test } from "vitest";
import { eventFilesOf, oomKillsIn } from "./oom-kills.ts";

describe("kills for want of memory", () => {
  test("are counted by cgroups of both versions and by the kernel as a whole", () => {
    expect(oomKillsIn("low 0\nhigh 0\nmax 3\noom 2\noom_kill 2\noom_group_kill 0\n")).toBe(2);
    expect(oomKillsIn("oom_kill_disable 0\nunder_oom 0\noom_kill 5\n")).toBe(5);
    expect(oomKillsIn("nr_free_pages 1\noom_kill 7\n")).toBe(7);
    expect(oomKillsIn("oom_kill_disable 0\nunder_oom 0\n")).toBeUndefined();
    expect(oomKillsIn("")).toBeUndefined();
  });

  test("are looked up where this process's cgroup is", () => {
    expect(eventFilesOf("0::/system.slice/svc-agent.service\n")).toEqual([
      "/sys/fs/cgroup/system.slice/svc-agent.service/memory.events",
    ]);
    expect(eventFilesOf("4:cpu,memory:/a/b\n1:name=systemd:/\n")).toEqual([
      "/sys/fs/cgroup/memory/a/b/memory.oom_control",
      "/sys/fs/cgroup/memory/memory.oom_control",
    ]);
    expect(eventFilesOf("")).toEqual([]);
  });
});
