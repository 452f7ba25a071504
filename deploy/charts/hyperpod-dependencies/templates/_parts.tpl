{{/* Labels of everything in this chart. Takes the root context and the part's name as a list. */}}
{{- define "part.labels" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ index . 1 }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
app.kubernetes.io/part-of: {{ $root.Chart.Name }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end }}

{{/* What a DaemonSet finds its pods by. */}}
{{- define "part.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ index . 1 }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- end }}

{{/* Affinity to nodes whose instance type is in one of the lists. Takes the root context and the lists' names. */}}
{{- define "part.affinity" -}}
{{- $root := index . 0 -}}
nodeAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    nodeSelectorTerms:
      - matchExpressions:
          - key: node.kubernetes.io/instance-type
            operator: In
            values:
            {{- range $family, $sizes := index $root.Values.instanceTypes (index . 1) }}
            {{- range $sizes }}
              - ml.{{ $family }}.{{ . }}
            {{- end }}
            {{- end }}
{{- end }}

{{/* The registry in which EKS keeps its images in this region (EKS user guide, "Amazon container image registries"). */}}
{{- define "registry.eks" -}}
{{- $accounts := dict
  "af-south-1" "877085696533"
  "ap-east-1" "800184023465"
  "ap-south-2" "900889452093"
  "ap-southeast-3" "296578399912"
  "ap-southeast-4" "491585149902"
  "ca-west-1" "761377655185"
  "eu-central-2" "900612956339"
  "eu-south-1" "590381155156"
  "eu-south-2" "455263428931"
  "il-central-1" "066635153087"
  "me-central-1" "759879836304"
  "me-south-1" "558608220178"
-}}
{{- printf "%s.dkr.ecr.%s.amazonaws.com" (get $accounts .Values.region | default "602401143452") .Values.region -}}
{{- end }}

{{/* The registry in which HyperPod keeps its agent in this region (the published chart of its command line tool). */}}
{{- define "registry.hyperpod" -}}
{{- $accounts := dict
  "ap-northeast-1" "533267052152"
  "ap-south-1" "011528288864"
  "ap-southeast-1" "905418428165"
  "ap-southeast-2" "851725636348"
  "eu-central-1" "211125453373"
  "eu-north-1" "654654141839"
  "eu-west-1" "533267293120"
  "eu-west-2" "011528288831"
  "sa-east-1" "025066253954"
  "us-east-1" "767398015722"
  "us-east-2" "851725546812"
  "us-west-1" "011528288828"
  "us-west-2" "905418368575"
-}}
{{- $account := get $accounts .Values.region -}}
{{- if not $account -}}
{{- fail (printf "HyperPod's health-monitoring agent has no known registry in %s: set healthMonitoringAgent.registry, or healthMonitoringAgent.enabled=false" .Values.region) -}}
{{- end -}}
{{- printf "%s.dkr.ecr.%s.amazonaws.com" $account .Values.region -}}
{{- end }}
