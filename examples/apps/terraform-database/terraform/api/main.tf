terraform {
  required_providers {
    local = { source = "hashicorp/local" }
  }
}

variable "folder" { type = string }
variable "database_url_file" { type = string }

resource "local_file" "api" {
  filename = "${var.folder}/api.json"
  content  = jsonencode({ database_url_file = var.database_url_file })
}

output "config_file" { value = local_file.api.filename }
