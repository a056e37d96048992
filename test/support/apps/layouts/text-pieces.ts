import { fault, type MakePiece, step, thing } from "./layout-piece.ts";

const script = (name: string, path: string): string =>
  `name = "${name}"\n[[steps]]\nname = "s"\ninline_contents = "${path}"\n`;
const contents = "inline_contents =";
const marked = (code: string): readonly [string, string] => [contents, `«${code}»${contents}`];

/** Texts in files of their own, and files that are none of a config. */
export const textPieces: Readonly<Record<string, MakePiece>> = {
  "a text of an action": ({ name, pick }) => {
    const at = pick("own", "kind", "root");
    const path = pick("run.sh", "scripts/run.sh", "bin/Über uns.sh");
    const rows = {
      own: "./x in the file's own folder",
      kind: "./x in the folder of its kind",
      root: "./x in the root",
    } as const;
    const own = name("texted");
    return {
      rows: [rows[at]],
      parts: [
        thing("action", own, script(own, `./${path}`)),
        { is: "text", of: 0, at, path, body: "echo {{ .svc.id }}" },
      ],
      keeps: [["actions", own, { steps: [{ inline_contents: "echo {{ .svc.id }}" }] }]],
      faults: [
        fault("missing_file", 0, [`${contents} "./`, `«missing_file»${contents} "./gone/`]),
        fault("outside_root", 0, [
          `${contents} "./`,
          `«outside_root»${contents} "../../../../../../`,
        ]),
        fault("remote_contents", 0, [
          `${contents} "./`,
          `«remote_contents»${contents} "https://example.com/`,
        ]),
        {
          code: "reference_unknown",
          edits: [
            [1, ".svc.id", "\n.svc.idd"],
            [0, ...marked("reference_unknown")],
          ],
        },
        {
          code: "bad_template",
          edits: [
            [1, "{{ .svc.id }}", "{{ .svc.id | uper }}"],
            [0, ...marked("bad_template")],
          ],
        },
        { code: "missing_file", edits: [[0, ...marked("missing_file")], [1]] },
        fault("one_of", 0, [contents, `command = "true"\n«one_of»${contents}`]),
      ],
    };
  },
  "a text that is there twice": ({ name }) => {
    const own = name("doubled");
    const path = `${own}.md`;
    return {
      rows: ["./x that is there twice"],
      parts: [
        thing(
          "runbook",
          own,
          `name = "${own}"\n«found_twice»readme = "./${path}"\n[[steps]]\nname = "s"\ntype = "sandbox_reprovision"\n`,
        ),
        { is: "text", of: 0, at: "own", path, body: "first" },
        { is: "text", of: 0, at: "root", path, body: "second" },
      ],
      keeps: [["runbooks", own, { readme: "first" }]],
      faults: [fault("bad_value", 0, ['type = "sandbox_', '«bad_value»type = "sandbx_'])],
    };
  },
  "a boundary of break glass": ({ name }) => {
    const own = name("admin");
    const path = `${own}.json`;
    return {
      rows: ["./x of break glass in permissions/"],
      parts: [
        thing("breakGlass", own, `name = "${own}"\npermissions_boundary = "./${path}"\n`),
        { is: "file", file: `permissions/${path}`, body: "{}" },
      ],
      keeps: [["break_glass.role", own, { permissions_boundary: "{}" }]],
      faults: [
        fault("missing_file", 0, [
          'permissions_boundary = "./',
          '«missing_file»permissions_boundary = "./no-',
        ]),
        fault("wrong_type", 0, [
          "permissions_boundary",
          "«wrong_type»enabled_in_stack = 1\npermissions_boundary",
        ]),
      ],
    };
  },
  "a policy without a name": ({ name, pick }) => {
    const own = name("ruling");
    const root = pick("svc", "acme");
    const contained = `contents = "./policies/${own}.rego"`;
    return {
      rows: ["policy without a name", ...(root === "acme" ? (["a root by a brand"] as const) : [])],
      parts: [
        thing("policy", own, `type = "helm_chart"\n${contained}\n`),
        { is: "file", file: `policies/${own}.rego`, body: `# what it is\npackage ${root}\n` },
      ],
      keeps: [["policies.policy", own, { type: "helm_chart" }]],
      faults: [
        {
          code: "bad_rego",
          edits: [
            [1, `package ${root}`, "package other"],
            [0, contained, `«bad_rego»${contained}`],
          ],
        },
        fault("engine_mismatch", 0, ["contents", '«engine_mismatch»engine = "kyverno"\ncontents']),
        fault("unknown_component", 0, [
          "contents",
          'components = [«unknown_component»"nope"]\ncontents',
        ]),
        fault("missing_file", 0, [contained, '«missing_file»contents = "./gone.rego"']),
        fault("remote_contents", 0, [
          contained,
          '«remote_contents»contents = "https://example.com/x"',
        ]),
        fault("bad_value", 0, ['type = "helm_chart"', '«bad_value»type = "helm"']),
      ],
    };
  },
  "files with nothing in them": ({ name, pick, folder }) => {
    const [row, body] = pick(
      ["a file with nothing in it", ""] as const,
      ["a file of comments", "# later\n\n# much later"] as const,
      ["a file with nothing in it", "\n\n"] as const,
    );
    const kind = pick("components", "actions", "runbooks", "installs", "secrets", "inputs");
    return {
      rows: [row],
      parts: [
        { is: "file", file: `${kind}/${folder}${name("empty")}.toml`, body },
        { is: "file", file: `components/${folder}${name("void")}.toml`, body: "# not yet" },
      ],
      faults: [fault("missing_key", 1, ["# not yet", '«^missing_key»name = "a"\n'])],
    };
  },
  "files of other programs": ({ name, pick, folder }) => {
    const own = name("tool");
    const file = pick(
      `components/${folder}${own}/pyproject.toml`,
      `actions/${own}/x/wrangler.toml`,
      `component/${own}.toml`,
      `${own}.toml`,
    );
    return {
      rows: ["a file of another program"],
      parts: [{ is: "file", file, body: "[project]\nx = 1\n" }],
      warned: [["ignored_key", file, null, null]],
      faults: [],
    };
  },
  "links into the repository": ({ name, pick }) => {
    const own = name("linked");
    const to = pick("shared/run.sh", "lib/deep/er/run.sh");
    return {
      rows: ["a link to a file of the repository"],
      parts: [
        thing("action", own, script(own, `./${own}.sh`)),
        { is: "link", of: 0, path: `${own}.sh`, to, body: "true", leads: "into" },
      ],
      keeps: [["actions", own, { steps: [{ inline_contents: "true" }] }]],
      faults: [
        {
          code: "outside_root",
          edits: [
            [1, "into", "out"],
            [0, ...marked("outside_root")],
          ],
          isOfFolders: true,
        },
        {
          code: "outside_root",
          edits: [
            [1, "into", "git"],
            [0, ...marked("outside_root")],
          ],
          isOfFolders: true,
        },
      ],
    };
  },
  "a folder that is a link": ({ name }) => {
    const own = name("folded");
    const at = `actions/${own}`;
    return {
      rows: ["a link to a folder of the repository"],
      parts: [
        {
          is: "link",
          path: at,
          to: `shared/${own}`,
          body: `name = "${own}"\n${step}`,
          leads: "into",
        },
      ],
      keeps: [["actions", own, { steps: [{ name: "s" }] }]],
      faults: [
        {
          code: "outside_root",
          edits: [[0, "into", "out"]],
          told: ["outside_root", at, null, null],
          isOfFolders: true,
        },
      ],
    };
  },
};
