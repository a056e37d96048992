import { aws, fault, type MakePiece, tables, thing, top } from "./layout-piece.ts";

/** What an app says of itself, and what nothing acts on. */
export const appPieces: Readonly<Record<string, MakePiece>> = {
  "what nothing acts on": ({ name, pick }) => {
    const repeated = pick("connected_repo", "public_repo");
    const shown = name("Shop");
    return {
      rows: ["[onboarding]", "slack_webhook_url", "installer.toml", "installs.toml"],
      parts: [
        top("metadata.toml", 'slack_webhook_url = "https://hooks.example.com/x"\n'),
        tables("metadata.toml", '[onboarding]\nsteps = ["{{ .svc.none }}"]\n'),
        top("installer.toml", `name = "${shown}"\nfooter_markdown = "{{ .svc.installer.x }}"\n`),
        tables("installs.toml", `[${repeated}]\nrepo = "o/r"\n`),
      ],
      keeps: [
        ["metadata", "", { onboarding: { steps: ["{{ .svc.none }}"] } }],
        ["installer", "", { name: shown }],
        ["installs_config", "", { [repeated]: { repo: "o/r" } }],
      ],
      faults: [
        fault("wrong_type", 0, [
          'slack_webhook_url = "https://hooks.example.com/x"',
          "«wrong_type»slack_webhook_url = 5",
        ]),
        fault("wrong_type", 2, [`name = "${shown}"`, "«wrong_type»name = []"]),
        fault("syntax", 2, [`name = "${shown}"`, `name «syntax»x = "${shown}"`]),
        fault("syntax", 2, ["footer_markdown", `«syntax»name = "x"\nfooter_markdown`]),
        {
          code: "unknown_key",
          edits: [
            [3, "repo =", "«unknown_key»rep ="],
            [3, `[${repeated}]`, `[«missing_key»${repeated}]`],
          ],
        },
      ],
    };
  },
  "a role's cloud": ({ name }) => {
    const own = name("keeper");
    return {
      rows: ["cloud_platform of a role"],
      parts: [
        aws,
        thing(
          "role",
          own,
          `type = "maintenance"\nname = "${own}"\ncloud_platform = "aws"\n[[policies]]\n`,
        ),
      ],
      keeps: [["permissions", "", { maintenance_role: { name: own, cloud_platform: "aws" } }]],
      faults: [
        fault("cloud_mismatch", 1, [
          'cloud_platform = "aws"',
          '«cloud_mismatch»cloud_platform = "gcp"',
        ]),
        fault("bad_value", 1, ['cloud_platform = "aws"', '«bad_value»cloud_platform = "ibm"']),
        fault("one_of", 1, ["[[policies]]\n", '[[«one_of»policies]]\nname = "x"\n']),
        fault("bad_value", 1, ['type = "maintenance"', '«bad_value»type = "maintenence"']),
      ],
    };
  },
  "a nameless app": ({ pick }) => ({
    rows: ["metadata without a name"],
    parts: [top("metadata.toml", `version = "${pick("", "v1", "v2")}"\n`)],
    isNameless: true,
    keeps: [["metadata", "", { name: "shop" }]],
    faults: [
      fault("unknown_key", 0, ["version", '«unknown_key»nme = "shop"\nversion']),
      fault("bad_value", 0, ['version = "', '«bad_value»version = "x']),
      {
        code: "missing_file",
        edits: [],
        removes: "metadata.toml",
        told: ["missing_file", "metadata.toml", null, null],
      },
    ],
  }),
};
