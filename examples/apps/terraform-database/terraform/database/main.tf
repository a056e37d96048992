# Files in the folder stand for the database and for the secret that has its address.
terraform {
  required_providers {
    local = { source = "hashicorp/local" }
  }
}

variable "folder" { type = string }
variable "subnets" { type = list(string) }
variable "instance_class" { type = string }

resource "local_file" "database" {
  filename = "${var.folder}/database.json"
  content  = jsonencode({ instance_class = var.instance_class, subnets = var.subnets })
}

resource "local_file" "url" {
  filename = "${var.folder}/database.url"
  content  = "postgres://ledger@${cidrhost(var.subnets[0], 10)}/ledger"
}

output "url_file" { value = local_file.url.filename }
