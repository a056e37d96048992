region = "{{ .svc.cloud_account.aws.region }}"
