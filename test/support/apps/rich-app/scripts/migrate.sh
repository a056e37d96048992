echo {{ .svc.components.database.outputs.url | shellquote }}
