{{/* At most 40 characters: Jobs are called after it. */}}
{{- define "svc-agent.name" -}}
{{- $own := contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) -}}
{{- $own | replace "." "-" | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "svc-agent.labels" -}}
app.kubernetes.io/name: svc-agent
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "svc-agent.agentSelector" -}}
app.kubernetes.io/name: svc-agent
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: agent
{{- end }}

{{- define "svc-agent.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .tag }}:{{ .tag }}{{ end }}{{ if .digest }}@{{ .digest }}{{ end }}
{{- end -}}
{{- end }}

{{- define "svc-agent.tokenSecret" -}}
{{ .Values.token.existingSecret | default (printf "%s-token" (include "svc-agent.name" .)) }}
{{- end }}
