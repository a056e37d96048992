variable "audience" {
  type = string
}

resource "terraform_data" "greeting" {
  input = "Hello, ${var.audience}!"
}

output "text" {
  value = terraform_data.greeting.output
}
